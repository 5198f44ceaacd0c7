import { expect, test } from 'vitest';
import { makeRoot, type Tree } from '../../support/root.ts';
import { serve } from '../../support/server.ts';

// Whatever dot-mi doesn't check or predict, it says so.

const SKILL = '---\nname: big\ndescription: Does it.\n---\n';
const scripts = (count: number): Tree =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`big/scripts/${i}.sh`, 'echo\n']));
const linksToMany = Object.fromEntries(
  Array.from({ length: 41 }, (_, i) => [`z${i}`, { link: '../../../shared/lib/many' }]),
);

/** What each agent has in `skills`. */
const SKILLS: Readonly<Record<string, Tree>> = {
  'as many scripts as it reads': { 'big/SKILL.md': SKILL, ...scripts(50) },
  'more scripts than it reads': { 'big/SKILL.md': SKILL, ...scripts(51) },
  'a script that it doesn’t read': {
    'big/SKILL.md': SKILL,
    'big/a.sh': `${'#'.repeat(3 * 1024 * 1024)}\n`,
  },
  'scripts in a linked directory': {
    'big/SKILL.md': SKILL,
    'big/more': { link: '../../../../shared/skills/git-summary' },
  },
  'directories deeper than it looks': { 'a/b/c/d/e/SKILL.md': SKILL },
  'more entries than it reads': { ...linksToMany, 'zz/SKILL.md': SKILL },
};
const idOf = (what: string) => what.replace(/\W/g, '-');

test('checks and prompts say whether anything wasn’t read', async () => {
  const many = Array.from({ length: 500 }, (_, i) => [`shared/lib/many/${i}.txt`, '']);
  const agents = Object.entries(SKILLS).flatMap(([what, skills]) =>
    Object.entries(skills).map(([path, content]) => [`agents/${idOf(what)}/skills/${path}`, content]),
  );
  const { call } = await serve(
    await makeRoot({
      ...Object.fromEntries([...many, ...agents]),
      '../outside/one/SKILL.md': SKILL,
      'agents/outside/skills': { link: '../../../outside' },
      'agents/nothing/skills': { link: '../../../nothing' },
    }),
  );
  const areAll = async (ids: readonly string[], route: 'checks' | 'prompt') =>
    Object.fromEntries(
      await Promise.all(
        ids.map(async (id) => {
          const { body } = await call('GET', `/api/agents/${idOf(id)}/${route}`);
          return [id, route === 'checks' ? !body.truncated : body.complete];
        }),
      ),
    );
  expect(await areAll([...Object.keys(SKILLS), 'outside', 'nothing'], 'checks')).toEqual({
    'as many scripts as it reads': true,
    'more scripts than it reads': false,
    'a script that it doesn’t read': false,
    'scripts in a linked directory': false,
    'directories deeper than it looks': false,
    'more entries than it reads': false,
    // No response says whether anything outside the root exists.
    outside: false,
    nothing: false,
  });
  expect(await areAll(Object.keys(SKILLS).slice(-2), 'prompt')).toEqual({
    'directories deeper than it looks': true,
    'more entries than it reads': false,
  });
});
