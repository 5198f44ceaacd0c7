import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isSince, type PiVersion } from '../../../src/pi/flags.ts';
import { UNKNOWN_PI_DIRECTORY } from '../../../src/pi/system-prompt.ts';
import { parseFrontmatter } from '../../../src/server/catalog/frontmatter.ts';
import { OPERATOR_READER } from '../../../src/server/platform/caller.ts';
import { createRoot } from '../../../src/server/platform/root.ts';
import { createPromptResponses } from '../../../src/server/prompt/prompt-responses.ts';
import { firstQuick } from '../../support/first-quick.ts';
import { DEFAULT_CWD, PROMPT_CASES } from '../../support/pi-prompt-cases.ts';
import { plant } from '../../support/plant.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** What scripts/capture-prompts.ts recorded of a real pi. */
interface Captures {
  readonly piVersion: string;
  readonly prompts: Readonly<Record<string, { prompt: string; tools: string[] }>>;
}

const repository = new URL('../../../', import.meta.url);

const capturesOf = (version: string): Captures =>
  JSON.parse(readFileSync(new URL(`tests/fixtures/pi-prompts/${version}.json`, repository), 'utf8'));

const CAPTURED: readonly (readonly [captured: string, version: PiVersion])[] = [
  ['1.6.0', '1.6'],
  ['1.5.2', '1.5'],
  ['0.87.1', '0.87'],
  ['0.73.1', '0.73'],
];

const NOW = Date.parse('2026-11-23T12:00:00Z');

/** What only a running server knows: its instructions, and the tools that it declares. */
const OF_A_RUNNING_SERVER = 'mcp-server-with-instructions';

/** What we predict for a case. */
const predict = async (name: string, version: PiVersion) => {
  const world = await makeTempDirectory();
  const { tree, cwd = DEFAULT_CWD, trusted } = PROMPT_CASES[name] ?? { tree: {} };
  await plant(world, { home: null, [DEFAULT_CWD]: null, 'root/shared/extensions': null, ...tree });
  await copyFile(
    new URL('resources/starter-root/shared/extensions/agent-prompt.ts', repository),
    join(world, 'root/shared/extensions/agent-prompt.ts'),
  );
  const rootPath = join(world, 'root');
  const answer = createPromptResponses(
    createRoot(rootPath),
    { rootPath, homeDirectory: join(world, 'home'), sessionDirectories: [], ownData: [] },
    parseFrontmatter,
  );
  const predicted = await answer({
    id: 'scout',
    cwd: join(world, cwd),
    version,
    trusted,
    reader: OPERATOR_READER,
    pi: undefined,
    nowMs: NOW,
  });
  const portable = predicted.text
    .replaceAll(world, '{world}')
    .replaceAll(UNKNOWN_PI_DIRECTORY, '{pi}')
    .replaceAll(/^(Current date: ).*$/gm, '$1{date}');
  return { ...predicted, portable };
};

for (const [tags, rows] of firstQuick(1, CAPTURED))
  describe.each(rows)('predicts what pi %s sends, byte for byte', { tags }, (captured, version) => {
    const { prompts } = capturesOf(captured);
    const isUnknown = (name: string) =>
      (isSince(version, '1.5') && name === OF_A_RUNNING_SERVER) ||
      // dot-mi reads no packages for pi 0.73, which keeps those of npm outside the root.
      (version === '0.73' && name.startsWith('packages') && name !== 'packages-no-skills');

    test.for(Object.keys(prompts).filter((name) => !isUnknown(name)))('%s', async (name) => {
      const { portable, tools, sections, text } = await predict(name, version);
      expect(portable).toBe(prompts[name]?.prompt);
      expect(tools).toEqual(prompts[name]?.tools);
      if (version !== '0.73') expect(sections.map((section) => section.text).join('\n\n')).toBe(text);
    });

    test('has a capture of every case', () => {
      const missing = Object.keys(PROMPT_CASES).filter((name) => !(name in prompts));
      // Older versions refuse to start with an argument that they don't know.
      const newer = ['mcp-off', 'mcp-named-without-extensions'];
      const of087 = ['project-files-trusted', 'tools-left-out', 'mcp-tools-by-pattern', 'mcp-tools-left-out'];
      const refused: Partial<Record<PiVersion, readonly string[]>> = {
        '0.87': newer,
        '0.73': [...newer, ...of087, 'mcp-project-trusted'],
      };
      expect(missing.sort()).toEqual([...(refused[version] ?? [])].sort());
    });
  });

test('says that it leaves out what packages bring to pi 0.73', async () => {
  const { complete, notes, skills } = await predict('packages-about-themselves', '0.73');
  expect(complete).toBe(false);
  expect(skills).toEqual([]);
  expect(notes[0]).toMatchObject({
    code: 'packages_unread',
    message: expect.stringContaining('"./pictured"'),
  });
});

test('says what a running MCP server adds that no file tells, and nothing else differs', async () => {
  const sent = capturesOf('1.5.2').prompts[OF_A_RUNNING_SERVER];
  const { portable, tools, complete, notes } = await predict(OF_A_RUNNING_SERVER, '1.5');
  expect(sent?.prompt).toContain('- mcp__notes (codemode): Keeps the notes of a team.\n');
  expect(portable).toBe(sent?.prompt.replace(': Keeps the notes of a team.', ''));
  expect([...tools, 'mcp__notes__find']).toEqual(sent?.tools);
  expect(complete).toBe(false);
  expect(notes).toMatchObject([{ code: 'mcp_unknown' }, { code: 'mcp_tools' }]);
  for (const { message } of notes) expect(message).toContain('"notes"');
});
