import { readdirSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import config from '../../electron-builder.config.ts';
import { installerNames } from '../support/package/installer-names.ts';

const directory = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));

interface Step {
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
}

interface Job {
  env?: Record<string, string>;
  permissions?: Record<string, string>;
  steps: Step[];
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

describe('the release', () => {
  const text = readFileSync(`${directory}release.yml`, 'utf8');
  const { jobs }: { jobs: Record<string, Job> } = parse(text);
  const steps = jobs.package?.steps ?? [];
  const stepOf = (run: RegExp) => steps.findIndex((step) => run.test(step.run ?? ''));

  it('hands the certificates to the step that signs, which neither installs nor builds nor tests', () => {
    const withSecrets = steps.filter((step) => JSON.stringify(step).includes('secrets.'));
    expect(withSecrets.map(({ run = '' }) => run.match(/npm .*/g))).toEqual([
      ['npm run package -- --no-build'],
    ]);
    // In no other job, nor in the environment of a whole one.
    const { env = {} } = withSecrets[0] ?? {};
    expect(text.match(/secrets\./g)).toHaveLength(JSON.stringify(env).match(/secrets\./g)?.length ?? 0);
  });

  it('builds once, and drives that build in the real Electron before it packs it', () => {
    expect(
      steps.filter(({ run = '' }) => /npm run (build|package(?! -- --no-build))/.test(run)),
    ).toHaveLength(1);
    const onLinux = stepOf(/^xvfb-run -a npm run test:electron -- --no-build$/);
    const elsewhere = stepOf(/^npm run test:electron -- --no-build$/);
    expect([steps[onLinux]?.if, steps[elsewhere]?.if]).toEqual([
      "runner.os == 'Linux'",
      "runner.os != 'Linux'",
    ]);
    const order = [stepOf(/^npm run build$/), onLinux, elsewhere, stepOf(/npm run package/)];
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  const installers = installerNames('1.2.3');
  const upload = steps.find(({ uses = '' }) => uses.startsWith('actions/upload-artifact@'))?.with;
  const globs = String(upload?.path).trim().split(/\s+/);

  it('takes every file that the packager makes, each under a name of its own, and looks for no other', () => {
    expect(installers).toEqual([
      'dot-mi-1.2.3-linux-x86_64.AppImage',
      'dot-mi-1.2.3-linux-amd64.deb',
      'dot-mi-1.2.3-linux-x86_64.rpm',
      'dot-mi-1.2.3-mac-arm64.dmg',
      'dot-mi-1.2.3-mac-x64.dmg',
      'dot-mi-1.2.3-mac-arm64.zip',
      'dot-mi-1.2.3-mac-x64.zip',
      'dot-mi-1.2.3-win-x64-setup.exe',
      'dot-mi-1.2.3-win-x64-portable.exe',
    ]);
    // What electron-updater asks for: the feed of each system, and the map of a file's blocks.
    const feeds = ['latest.yml', 'latest-mac.yml', 'latest-linux.yml'];
    const files = [...installers, ...installers.map((name) => `${name}.blockmap`), ...feeds];
    const isTaken = (name: string, glob: string) =>
      matchesGlob(`${config.directories?.output}/${name}`, glob);
    expect(files.filter((name) => !globs.some((glob) => isTaken(name, glob)))).toEqual([]);
    expect(globs.filter((glob) => !files.some((name) => isTaken(name, glob)))).toEqual([]);
    expect(upload?.['if-no-files-found']).toBe('error');
  });
});
