import { spawnSync } from 'node:child_process';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRoot, type Tree } from '../../support/root.ts';

const check = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/check.ts', ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });
  return { status, stdout, stderr };
};

const WARNED: Tree = {
  'agents/scout/pi-args': '# Reads only\r\n--thinking low\r\n--tools read,bash\r\n',
  'agents/linked/SYSTEM.md': 'Hi.\n',
  'agents/linked/pi-args': { link: '../../shared/args' },
  'shared/args': '--thinking low\n',
  'agents/scout/skills/my skill/SKILL.md': '---\nname: other\ndescription: Helps.\n---\n',
};

test('prints findings, fixes the safe ones, and exits with 1 only for an error', async () => {
  const root = await makeRoot(WARNED);
  const before = check(root);
  expect([before.status, before.stderr]).toEqual([0, '']);
  expect(before.stdout).toContain('agents/scout/pi-args:2:1: warning: Line 2 has 2 arguments.');
  expect(before.stdout).toContain('agents/scout/skills/my skill/SKILL.md:2:7: warning:');
  expect(before.stdout).toMatch(/0 errors, \d+ warnings, \d+ hints? in 2 agents and 1 shared skill\.\n$/);

  const after = check(root, '--fix', '--json');
  expect(after.status).toBe(0);
  expect(after.stderr).toContain('Fixed 2 findings.');
  const { findings } = JSON.parse(after.stdout) as { findings: { rule: string; file: string }[] };
  expect(findings.filter(({ rule }) => rule === 'pi-args-several-tokens')).toMatchObject([
    { file: 'agents/linked/pi-args' },
  ]);
  expect(await readFile(join(root, 'agents/scout/pi-args'), 'utf8')).toBe(
    '# Reads only\r\n--thinking\r\nlow\r\n--tools\r\nread,bash\r\n',
  );
  // A file behind a link stays as it is, and so does the link.
  expect((await lstat(join(root, 'agents/linked/pi-args'))).isSymbolicLink()).toBe(true);
  expect(await readFile(join(root, 'shared/args'), 'utf8')).toBe('--thinking low\n');

  const broken = check(await makeRoot({ 'agents/scout/pi-args': '--modle\nx\n' }));
  expect([broken.status, broken.stderr]).toEqual([1, '']);
});

test('prints a SARIF log whose places and fixes fit the files', async () => {
  const { stdout } = check(await makeRoot(WARNED), '--sarif');
  const log = JSON.parse(stdout);
  expect(log).toMatchObject({ version: '2.1.0', runs: [{ columnKind: 'utf16CodeUnits' }] });
  const [{ tool, results }] = log.runs;
  const ids = tool.driver.rules.map(({ id }: { id: string }) => id);
  for (const { ruleId, ruleIndex, level, message } of results) {
    expect(ids[ruleIndex]).toBe(ruleId);
    expect(['error', 'warning', 'note']).toContain(level);
    expect(message.text).not.toBe('');
  }
  const place = { uri: 'agents/scout/pi-args', uriBaseId: 'ROOT' };
  const region = { startLine: 2, startColumn: 1, endLine: 2, endColumn: 15 };
  expect(results).toContainEqual(
    expect.objectContaining({
      ruleId: 'pi-args-several-tokens',
      locations: [{ physicalLocation: { artifactLocation: place, region } }],
      fixes: [
        {
          description: { text: 'Put each argument on its own line' },
          artifactChanges: [
            {
              artifactLocation: place,
              replacements: [
                {
                  deletedRegion: { startLine: 2, startColumn: 11, endLine: 2, endColumn: 12 },
                  insertedContent: { text: '\r\n' },
                },
              ],
            },
          ],
        },
      ],
    }),
  );
  // A URI has no spaces.
  expect(JSON.stringify(results)).toContain('agents/scout/skills/my%20skill/SKILL.md');
});

test('says what is wrong with its arguments, and exits with 2', async () => {
  const root = await makeRoot();
  for (const [args, text] of [
    [[], 'Usage: npm run check'],
    [[root, '--json', '--sarif'], 'Usage: npm run check'],
    [[join(root, 'shared')], 'is not a dot-mi root'],
    [[root, '--everything'], 'everything'],
  ] as const) {
    const { status, stdout, stderr } = check(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(text);
  }
});
