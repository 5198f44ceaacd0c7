import { expect, test } from 'vitest';
import { FRONTMATTER_CASES, UNREAD_CASES } from '../support/frontmatter-cases.ts';
import type { Tree } from '../support/plant.ts';
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

const SKILL = '---\nname: NAME\ndescription: Use it when asked.\n---\nText.\n';
const named = (name: string) => SKILL.replace('NAME', name);
const toShared = (name: string) => ({ link: `../../../shared/skills/${name}` });

/** What the prompt of an agent with these files contains, and what its checks report about its skills. */
const readAgent = async (tree: Tree) => {
  const { call } = await serve(await makeRoot(tree));
  const prompt = (await call('GET', '/api/agents/scout/prompt')).body;
  const { findings } = (await call('GET', '/api/agents/scout/checks')).body;
  return {
    inPrompt: prompt.skills.map(({ name }: Skill) => name),
    findings: findings
      .filter(({ file }: { file: string }) => file.startsWith('skills/') || file === 'pi-args')
      .map(({ rule, file }: { rule: string; file: string }) => `${file} ${rule}`),
    messages: findings.map(({ message }: { message: string }) => message),
    skills: (await call('GET', '/api/catalog/skills')).body.skills as Skill[],
  };
};

test('a link to a skill that is a single file, in a group or elsewhere isn’t broken', async () => {
  const { inPrompt, findings } = await readAgent({
    'shared/skills/one.md': named('one'),
    'shared/skills/group/two/SKILL.md': named('two'),
    'shared/skills/other/three.md': named('three'),
    'agents/scout/skills/four.md': named('four'),
    'agents/scout/skills/about.md': 'No skill.\n',
    'agents/scout/skills/a.md': toShared('other/three.md'),
    'agents/scout/skills/b.md': toShared('one.md'),
    'agents/scout/skills/c': toShared('group'),
    'agents/scout/skills/gone.md': toShared('gone.md'),
  });
  expect(inPrompt).toEqual(['three', 'one', 'two', 'four']);
  expect(findings).toEqual(['skills/gone.md link-broken']);
});

test('two links to one file are one skill, and single files count as skills', async () => {
  const { inPrompt, findings } = await readAgent({
    'shared/skills/group/two/SKILL.md': named('two'),
    'shared/skills/one.md': named('one'),
    'agents/scout/skills/c': toShared('group'),
    'agents/scout/skills/two': toShared('group/two'),
    'agents/scout/skills/e.md': toShared('one.md'),
    'agents/scout/skills/f.md': named('one'),
  });
  expect(inPrompt).toEqual(['two', 'one']);
  expect(findings).toEqual(['skills/f.md skill-shadowed']);
});

test('an ignore file in a skill’s own directory, in a shared one or in a group hides it', async () => {
  const { inPrompt, findings } = await readAgent({
    'shared/skills/shared/SKILL.md': named('shared'),
    'shared/skills/shared/.gitignore': '*.md\n',
    'agents/scout/skills/own/SKILL.md': named('own'),
    'agents/scout/skills/own/.fdignore': 'SKILL.md\n',
    'agents/scout/skills/group/a/SKILL.md': named('a'),
    'agents/scout/skills/group/b/SKILL.md': named('b'),
    'agents/scout/skills/group/.ignore': '/b\n',
    'agents/scout/skills/fine/SKILL.md': named('fine'),
    'agents/scout/skills/fine/.gitignore': 'node_modules\n*.log\n',
    'agents/scout/skills/shared': toShared('shared'),
  });
  expect(inPrompt).toEqual(['fine', 'a']);
  expect(findings).toEqual([
    'skills/group/b skill-ignored',
    'skills/own skill-ignored',
    'skills/shared skill-ignored',
  ]);
});

test('a file that is almost called SKILL.md is to be renamed, not deleted', async () => {
  const { inPrompt, findings, messages, skills } = await readAgent({
    'shared/skills/notes/skill.md': named('notes'),
    'agents/scout/skills/own/Skill.md': named('own'),
    'agents/scout/skills/notes': toShared('notes'),
  });
  expect(inPrompt).toEqual([]);
  expect(findings).toEqual(['skills/own/SKILL.md skill-md-missing']);
  expect(messages).toContain(
    'pi finds no skill here, because the file is named "Skill.md". Rename it to SKILL.md.',
  );
  expect(skills.find(({ name }) => name === 'notes')?.diagnostics).toEqual([
    expect.objectContaining({ message: 'pi doesn’t load "skill.md". Rename it to SKILL.md.' }),
  ]);
});

test('with --no-skills, the checks say only that the skills are disabled', async () => {
  const { inPrompt, findings } = await readAgent({
    'agents/scout/pi-args': '--no-skills\n',
    'agents/scout/skills/a/SKILL.md': named('same'),
    'agents/scout/skills/b/SKILL.md': `---\nname: same\ndescription: Use it when asked.\ndisable-model-invocation: true\n---\n`,
    'agents/scout/skills/c/SKILL.md': named('c'),
    'agents/scout/skills/.gitignore': 'c\n',
  });
  expect(inPrompt).toEqual([]);
  expect(findings.filter((finding: string) => !finding.includes('skill-name'))).toEqual([
    'pi-args skills-switched-off',
  ]);
});
