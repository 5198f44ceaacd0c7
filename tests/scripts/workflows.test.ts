import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const directory = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));

interface Job {
  permissions?: Record<string, string>;
  steps: { uses?: string; run?: string; with?: Record<string, unknown> }[];
}

describe.each(readdirSync(directory))('the workflow %s', (file) => {
  const workflow: { permissions: unknown; jobs: Record<string, Job> } = parse(
    readFileSync(`${directory}${file}`, 'utf8'),
  );
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  it('takes each action at a commit, which cannot be moved as a tag can', () => {
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });

  it('may read only; a job that may write runs no code of the project or its dependencies', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const { permissions, steps } of Object.values(workflow.jobs)) {
      if (!permissions) continue;
      expect(permissions).toEqual({ contents: 'write' });
      expect(
        steps.some(({ run = '', uses = '' }) => /npm|\.ci\//.test(run) || uses.includes('checkout')),
      ).toBe(false);
    }
  });

  it('leaves no token in the checkout, where what is built could read it', () => {
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
      expect(step.with?.['persist-credentials']).toBe(false);
  });

  it('puts nothing that others write into a script', () => {
    for (const { run = '' } of steps) expect(run).not.toMatch(/\$\{\{/);
  });
});
