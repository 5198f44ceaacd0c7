import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PackageState } from '../../../src/server/checks/snapshot.ts';
import type { Finding } from '../../../src/shared/api/checks.ts';
import { serveOperator as serve } from '../../support/as-operator.ts';
import { type CheckedAgent, checkAgent, marked } from '../../support/check.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { testAgentRules } from '../../support/rule-cases.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const SETTINGS = 'agents/scout/settings.json';

const withPackages = (entries: unknown, packages: PackageState[] = []): CheckedAgent => ({
  files: { 'settings.json': JSON.stringify({ packages: entries }) },
  packages,
});

testAgentRules([
  {
    rule: 'package-ignored',
    bad: withPackages(
      ['github:me/tools', 'npm:here', { source: 'npm:here@2.0.0', skills: [] }, './gone', 'npm:two words'],
      ['unknown', 'there', 'there', 'missing', 'unknown'],
    ),
    marks: ['"github:me/tools"', '"npm:here@2.0.0"', '"./gone"', '"npm:two words"'],
    says: 'Write a repository as git:github.com/owner/name',
    good: [
      withPackages(['npm:here', '../pack', 'git:github.com/me/tools'], ['missing', 'there', 'missing']),
      // Nothing is reported about what is outside the root.
      withPackages(['/somewhere/else'], ['unknown']),
      withPackages([{ skills: [] }, 5, null]),
      withPackages({}),
      withPackages('npm:x'),
    ],
  },
  {
    rule: 'package-ignored',
    bad: withPackages(['git+https://me:hunter2@example.com/a/b']),
    marks: ['"git+https://me:hunter2@example.com/a/b"'],
    hides: 'hunter2',
    good: [],
  },
  {
    rule: 'package-not-installed',
    bad: withPackages(
      ['npm:here', { source: 'npm:gone' }, 'git:github.com/me/tools', 'npm:a', 'npm:b'],
      ['there', 'missing', 'missing', 'missing', 'missing'],
    ),
    marks: ['"npm:gone"'],
    says: '"npm:gone", "git:github.com/me/tools", "npm:a" and 1 more aren’t installed',
    good: [
      withPackages(['npm:here', './gone', 'npm:outside'], ['there', 'missing', 'unknown']),
      withPackages(['npm:x', 'npm:x@1.0.0'], ['there', 'missing']),
      { files: { 'settings.json': '{"packages":["npm:x"]' } },
    ],
  },
]);

test('values that are not valid are reported once, by the rule about settings', () => {
  const agent = withPackages([{ skills: [] }, { source: './pack', skills: 'all' }]);
  const text = JSON.stringify({ packages: [{ skills: [] }, { source: './pack', skills: 'all' }] });
  const found = checkAgent(agent).filter(({ file }) => file === 'settings.json');
  expect(found.map(({ rule }) => rule)).toEqual(['settings-json-value', 'settings-json-value']);
  expect(found.map((one) => marked(text, one))).toEqual([expect.any(String), expect.any(String)]);
});

test('looks where pi keeps packages, follows an installation, and says nothing of what is outside the root', async () => {
  const rootPath = await makeRoot({
    [SETTINGS]: JSON.stringify({
      packages: ['npm:@me/tools', 'git:github.com/me/clone', './pack', 'npm:linked', './far', 'npm:far'],
    }),
    'shared/pack/package.json': '{"version":"1.0.0"}',
    'agents/scout/npm/node_modules/linked': { link: '../../../../shared/pack' },
  });
  const outside = await makeTempDirectory();
  await plant(outside, { 'package.json': '{"version":"1.0.0"}' });
  for (const place of ['far', 'npm/node_modules/far'])
    await symlink(join(outside, 'gone'), join(rootPath, 'agents/scout', place));
  const { call } = await serve(rootPath);
  const messages = async (): Promise<string[]> => {
    const { findings } = (await call('GET', '/api/agents/scout/checks')).body as { findings: Finding[] };
    return findings.filter(({ rule }) => rule.startsWith('package-')).map(({ message }) => message);
  };
  expect(await messages()).toEqual([
    expect.stringContaining('"npm:@me/tools" and "git:github.com/me/clone" aren’t installed'),
    expect.stringContaining('There is nothing at "./pack"'),
  ]);
  await plant(rootPath, {
    'agents/scout/npm/node_modules/@me/tools/package.json': '{"version":"1.0.0"}',
    'agents/scout/git/github.com/me/clone/README.md': '',
    'agents/scout/pack/skills/x/SKILL.md': '',
  });
  expect(await messages()).toEqual([]);
});
