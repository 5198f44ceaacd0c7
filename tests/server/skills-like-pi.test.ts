import { expect, test } from 'vitest';
import { FRONTMATTER_CASES, UNREAD_CASES } from '../support/frontmatter-cases.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

interface Skill {
  readonly name: string;
  readonly description?: string;
  readonly diagnostics: readonly { readonly severity: string }[];
}

/** The ids that say how well a skill is written, not whether pi loads it. */
const STYLE = /^skill-(?:name|field|key|too-long)/;

/** An agent with these skills, and what dot-mi says about them. */
const readSkills = async (texts: Readonly<Record<string, string | Buffer>>) => {
  const root = await makeRoot(
    Object.fromEntries(
      Object.entries(texts).flatMap(([name, text]) => [
        [`shared/skills/${name}/SKILL.md`, text],
        [`agents/scout/skills/${name}`, { link: `../../../shared/skills/${name}` }],
      ]),
    ),
  );
  const { call } = await serve(root);
  const skills: Skill[] = (await call('GET', '/api/catalog/skills')).body.skills;
  return {
    catalog: new Map(skills.map((skill) => [skill.name, skill])),
    prompt: (await call('GET', '/api/agents/scout/prompt')).body,
    findingsOf: async (name: string): Promise<string[]> =>
      (await call('GET', `/api/catalog/skills/${name}/checks`)).body.findings
        .map(({ rule }: { rule: string }) => rule)
        .filter((rule: string) => !STYLE.test(rule)),
  };
};

const hasError = (skill: Skill | undefined) =>
  skill?.diagnostics.some(({ severity }) => severity === 'error') ?? true;

test('the catalog, the prompt and the checks say what pi makes of frontmatter', async () => {
  const { catalog, prompt, findingsOf } = await readSkills(
    Object.fromEntries(Object.entries(FRONTMATTER_CASES).map(([name, { text }]) => [name, text])),
  );
  const said: Record<string, unknown> = {};
  const expected: Record<string, unknown> = {};
  for (const [name, { loaded, findings }] of Object.entries(FRONTMATTER_CASES)) {
    const skill = catalog.get(name);
    const description = hasError(skill) ? undefined : skill?.description;
    const isInPrompt = prompt.skills.some((each: { name: string }) => each.name === name);
    said[name] = { description, isInPrompt, findings: await findingsOf(name) };
    expected[name] = { description: loaded?.description, isInPrompt: loaded !== undefined, findings };
    if (loaded) expect(prompt.text).toContain(`<description>${loaded.description}</description>`);
  }
  expect(said).toEqual(expected);
  expect(prompt.unreadable).toEqual([]);
});

test('dot-mi says that it can’t read frontmatter that pi reads, and that the prompt is incomplete', async () => {
  const { catalog, prompt, findingsOf } = await readSkills(UNREAD_CASES);
  for (const name of Object.keys(UNREAD_CASES)) {
    expect([name, hasError(catalog.get(name)), await findingsOf(name)]).toEqual([
      name,
      false,
      ['skill-unread'],
    ]);
    expect(prompt.unreadable).toContain(`${name}/SKILL.md has frontmatter that exceeds dot-mi’s limits`);
  }
  expect(prompt.complete).toBe(false);
});
