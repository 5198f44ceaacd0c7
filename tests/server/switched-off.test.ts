import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CELL_STATES, decodeCells } from '../../src/shared/api/links.ts';
import type { LinkKind } from '../../src/shared/api/names.ts';
import type { Tree } from '../support/root.ts';
import { shareServer } from '../support/shared-server.ts';
import { themeText } from '../support/theme.ts';

const { makeRoot, serve } = shareServer();

const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n`;
const linkTo = (kind: LinkKind, name: string) => ({ link: `../../../shared/${kind}/${name}` });

/** A root whose agent links to some entries of each kind. */
const TREE: Tree = {
  'shared/skills/plan/SKILL.md': skill('plan'),
  'shared/skills/review/SKILL.md': skill('review'),
  'shared/extensions/tool/index.ts': 'export default () => {};\n',
  'shared/extensions/pack/package.json': '{ "pi": { "extensions": ["./src/a.ts", "src/b.ts"] } }',
  'shared/extensions/pack/src/a.ts': 'export default () => {};\n',
  'shared/extensions/pack/src/b.ts': 'export default () => {};\n',
  'shared/extensions/mixed/package.json': '{ "pi": { "extensions": ["src/a.ts", 7] } }',
  'shared/extensions/mixed/src/a.ts': 'export default () => {};\n',
  'shared/extensions/mixed/index.ts': 'export default () => {};\n',
  'agents/scout/extensions/mixed': linkTo('extensions', 'mixed'),
  'agents/scout/skills/git-summary': linkTo('skills', 'git-summary'),
  'agents/scout/skills/plan': linkTo('skills', 'plan'),
  'agents/scout/skills/review': linkTo('skills', 'review'),
  'agents/scout/extensions/say.ts': linkTo('extensions', 'say.ts'),
  'agents/scout/extensions/tool': linkTo('extensions', 'tool'),
  'agents/scout/extensions/pack': linkTo('extensions', 'pack'),
  'shared/prompts/plan.md': 'Plan.\n',
  'shared/prompts/review.md': 'Review.\n',
  'shared/themes/loud.json': themeText('loud'),
  'shared/themes/quiet.json': themeText('quiet'),
  'agents/scout/prompts/plan.md': linkTo('prompts', 'plan.md'),
  'agents/scout/prompts/review.md': linkTo('prompts', 'review.md'),
  // pi loads neither, so nothing switches them off.
  'agents/scout/prompts/notes.txt': 'x',
  'agents/scout/prompts/below/more.md': 'x',
  'agents/scout/themes/loud.json': linkTo('themes', 'loud.json'),
  'agents/scout/themes/quiet.json': linkTo('themes', 'quiet.json'),
};

const start = async (more: Tree = {}) => {
  const root = await makeRoot({ ...TREE, ...more });
  const { asOperator: call } = await serve(root);
  return {
    root,
    call,
    set: (kind: LinkKind, list: unknown) =>
      writeFile(join(root, 'agents/scout/settings.json'), JSON.stringify({ [kind]: list })),
    /** The names that the list and the matrix call switched off. */
    off: async (kind: LinkKind) => {
      const [list, matrix] = await Promise.all([
        call('GET', `/api/agents/scout/links/${kind}`),
        call('GET', `/api/links/matrix?kind=${kind}`),
      ]);
      const { names, agents } = matrix.body;
      const cells = decodeCells(agents.find(({ id }: { id: string }) => id === 'scout').cells, names.length);
      return {
        list: list.body.entries
          .filter(({ switchedOff }: { switchedOff?: true }) => switchedOff)
          .map(({ name }: { name: string }) => name),
        matrix: names.filter((_: string, i: number) => CELL_STATES[cells[i] ?? 0] === 'switchedOff'),
      };
    },
  };
};

const both = (names: readonly string[]) => ({ list: names, matrix: names });

// What pi 1.5.2 does: `isEnabledByOverrides` in dist/core/package-manager.js, with `matchesAnyPattern` for `!` and
// `matchesAnyExactPattern` for `+` and `-`. `applyPatterns` decides what `resolveLocalEntries` adds for a plain path.
test('an entry is switched off by each form of pattern as pi switches it off', { tags: 'slow' }, async () => {
  const { root, set, off } = await start();
  const agent = join(root, 'agents/scout');
  const forms: readonly [kind: LinkKind, list: unknown, off: readonly string[]][] = [
    // `-`: an exact path, of the SKILL.md or its directory. No glob, and no bare name.
    ['skills', ['-skills/plan'], ['plan']],
    ['skills', ['-./skills/plan/SKILL.md'], ['plan']],
    ['skills', [`-${agent}/skills/plan`], ['plan']],
    ['skills', ['-plan', '-skills/*', '-skills/plan/'], []],
    // `!`: a glob, for the path or the name alone.
    ['skills', ['!plan'], ['plan']],
    ['skills', ['!skills/p*', '!**/review/**'], ['plan', 'review']],
    ['skills', ['!SKILL.md'], ['git-summary', 'plan', 'review']],
    ['skills', [`!${agent}/skills/{plan,review}`], ['plan', 'review']],
    // `+` includes what `!` excludes, whatever their order. `-` has the last word.
    ['skills', ['+skills/plan', '!*'], ['git-summary', 'review']],
    ['skills', ['-skills/plan', '+skills/plan'], ['plan']],
    ['skills', ['+skills/plan'], []],
    // A plain path adds files. A glob without a mark filters what plain paths name, and alone does nothing.
    ['skills', ['skills/plan', '../elsewhere'], []],
    ['skills', ['skills/rev*'], []],
    ['skills', ['skills', 'skills/rev*'], ['git-summary', 'plan']],
    ['skills', ['skills/plan', 'skills/rev*', '-skills/review'], ['plan', 'review']],
    ['skills', 'no list', []],
    ['skills', [7, '-skills/plan'], ['plan']],
    // An extension is its entry files (`resolveExtensionEntries`), not its directory.
    ['extensions', ['-extensions/say.ts'], ['say.ts']],
    ['extensions', ['!*.ts'], ['mixed', 'pack', 'say.ts', 'tool']],
    ['extensions', ['-extensions/tool', '!tool', '-extensions/pack/src/a.ts'], []],
    ['extensions', ['-extensions/tool/index.ts'], ['tool']],
    ['extensions', ['-extensions/pack/src/a.ts', '-extensions/pack/src/b.ts'], ['pack']],
    ['extensions', ['!extensions/**', '+extensions/pack/src/b.ts'], ['mixed', 'say.ts', 'tool']],
    // `readPiManifest` drops the list of "mixed", which is then its index.ts.
    ['extensions', ['-extensions/mixed/src/a.ts'], []],
    ['extensions', ['-extensions/mixed/index.ts'], ['mixed']],
    // pi's own extensions are no entries of an agent.
    ['extensions', ['-builtin:mcp', '!builtin:*', '+builtin:codemode'], []],
    ['extensions', ['extensions/tool', 'builtin:*'], ['tool']],
    // A prompt template and a theme are a file of the folder itself.
    ['prompts', ['-prompts/review.md'], ['review.md']],
    ['prompts', ['!review.md', '!plan'], ['review.md']],
    ['prompts', ['!prompts/*', '+prompts/plan.md'], ['review.md']],
    ['prompts', ['-review.md', '-prompts/review', '!review'], []],
    ['prompts', ['prompts', 'prompts/p*'], ['review.md']],
    ['themes', ['!*.json'], ['loud.json', 'quiet.json']],
    ['themes', [`-${agent}/themes/quiet.json`], ['quiet.json']],
    ['themes', ['-prompts/review.md'], []],
    // The lists of the other kind don't count.
    ['extensions', ['-skills/plan'], []],
  ];
  for (const [kind, list, names] of forms) {
    await set(kind, list);
    expect([list, await off(kind)]).toEqual([list, both(names)]);
  }
});

test('the next request shows what an edit of settings.json switches off, whatever the file is', async () => {
  const { root, set, off } = await start();
  const path = join(root, 'agents/scout/settings.json');
  expect(await off('skills')).toEqual(both([]));
  for (const name of ['plan', 'review', 'plan']) {
    await set('skills', [`-skills/${name}`]);
    expect(await off('skills')).toEqual(both([name]));
  }
  await writeFile(path, '{ "skills": ["-skills/pl');
  expect(await off('skills')).toEqual(both([]));
  // A link in the root counts, and so do edits of what it points to.
  await rm(path);
  await symlink('../../shared/settings.json', path);
  for (const name of ['review', 'plan']) {
    await writeFile(join(root, 'shared/settings.json'), `\uFEFF{ "skills": ["-skills/${name}"] }`);
    expect(await off('skills')).toEqual(both([name]));
  }
  await rm(path);
  expect(await off('skills')).toEqual(both([]));
});

test('the next request shows an extension whose entry file moved out of a pattern', async () => {
  const { root, set, off } = await start();
  await set('extensions', ['-extensions/tool/index.ts']);
  expect(await off('extensions')).toEqual(both(['tool']));
  await writeFile(join(root, 'shared/extensions/tool/main.ts'), 'export default () => {};\n');
  await writeFile(
    join(root, 'shared/extensions/tool/package.json'),
    '{ "pi": { "extensions": ["main.ts"] } }',
  );
  expect(await off('extensions')).toEqual(both([]));
});

test('settings outside the root switch nothing off, and a broken link is only broken', async () => {
  const { root, set, call, off } = await start({
    '../outside.json': '{ "skills": ["!*"] }',
    'agents/scout/settings.json': { link: '../../../outside.json' },
    'agents/scout/skills/gone': linkTo('skills', 'gone'),
  });
  expect(await off('skills')).toEqual(both([]));
  await rm(join(root, 'agents/scout/settings.json'));
  await set('skills', ['!*']);
  expect(await off('skills')).toEqual(both(['git-summary', 'plan', 'review']));
  const { entries } = (await call('GET', '/api/agents/scout/links/skills')).body;
  const gone = entries.find(({ name }: { name: string }) => name === 'gone');
  expect([gone.broken, gone.switchedOff]).toEqual([true, undefined]);
});

test('a skill that is switched off takes no name from another, and a new link says that it is off', async () => {
  const { call, off, set } = await start({
    'shared/skills/also-plan/SKILL.md': skill('plan'),
    'agents/scout/skills/also-plan': linkTo('skills', 'also-plan'),
  });
  const cells = async () => {
    const { names, agents } = (await call('GET', '/api/links/matrix?kind=skills')).body;
    const states = decodeCells(agents[0].cells, names.length);
    return names.map((_: string, i: number) => CELL_STATES[states[i] ?? 0]);
  };
  expect(await cells()).toEqual(['linked', 'linked', 'shadowed', 'linked']);
  await set('skills', ['-skills/also-plan']);
  expect(await cells()).toEqual(['switchedOff', 'linked', 'linked', 'linked']);
  expect(await off('skills')).toEqual(both(['also-plan']));
  expect((await call('DELETE', '/api/agents/scout/links/skills/also-plan')).status).toBe(200);
  const made = await call('POST', '/api/agents/scout/links/skills', { name: 'also-plan' });
  expect([made.status, made.body.entry.switchedOff]).toEqual([201, true]);
});
