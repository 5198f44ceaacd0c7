import {
  chmodSync,
  existsSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { copyPrivately } from '../../src/server/platform/private-copy.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { plant, type Tree } from '../support/plant.ts';
import { makeTempDirectory } from '../support/temp.ts';

/** A root with an agent, and a function that copies it. */
const makeRoot = async (tree: Tree) => {
  const world = realpathSync(await makeTempDirectory());
  const path = join(world, 'root');
  await plant(path, { 'agents/writer/SYSTEM.md': 'Write.\n', ...tree });
  await plant(join(world, 'data/wallet'), { seed: 'the words\n' });
  await plant(join(world, 'home'), { 'notes.md': 'Mine.\n' });
  const to = join(world, 'copy');
  const copy = () =>
    copyPrivately({
      root: createRoot(path),
      agent: 'writer',
      to,
      ownData: [join(world, 'data')],
      homeDirectory: join(world, 'home'),
    });
  const inCopy = (name: string) => join(to, 'agents/writer', name);
  const read = (name: string) => readFileSync(inCopy(name), 'utf8');
  return { world, root: path, to, copy, inCopy, read };
};

const asJson = (value: unknown) => JSON.stringify(value);

describe('the private copy of an agent', () => {
  test('has what the agent’s links reach, and nothing that is written to the root later', async () => {
    const { root, to, copy, inCopy, read } = await makeRoot({
      'shared/skills/notes/SKILL.md': '---\nname: notes\n---\nOld.\n',
      'shared/skills/notes/lib': { link: '../../lib' },
      'shared/lib/helper.mjs': 'old\n',
      'shared/skills/other/SKILL.md': 'Not linked.\n',
      'agents/writer/skills/notes': { link: '../../../shared/skills/notes' },
      'agents/writer/npm/node_modules/pack/index.js': 'old\n',
      'agents/writer/skills/gone': { link: '../../../shared/skills/gone' },
      'agents/writer/a-link.md': { link: 'z-file.md' },
      'agents/writer/z-file.md': 'Z\n',
    });
    await copy();
    for (const name of ['shared/skills/notes/SKILL.md', 'shared/lib/helper.mjs', 'agents/writer/SYSTEM.md'])
      writeFileSync(join(root, name), 'Changed.\n');
    expect(read('SYSTEM.md')).toBe('Write.\n');
    expect(read('skills/notes/SKILL.md')).toContain('Old.');
    expect(read('skills/notes/lib/helper.mjs')).toBe('old\n');
    expect(read('npm/node_modules/pack/index.js')).toBe('old\n');
    expect(read('a-link.md')).toBe('Z\n');
    for (const name of ['skills/notes', 'skills/notes/lib', 'a-link.md'])
      expect(realpathSync(inCopy(name)).startsWith(to)).toBe(true);
    expect(existsSync(join(to, 'shared/skills/other'))).toBe(false);
    expect(existsSync(inCopy('skills/gone'))).toBe(false);
    if (process.platform !== 'win32') expect(statSync(to).mode & 0o077).toBe(0);
  });

  test('has no secrets, sessions or logs of the agent, and no set-id bits', async () => {
    const { root, copy, inCopy } = await makeRoot({
      'agents/writer/auth.json': '{"a":{"type":"api_key","key":"sk-1"}}',
      'agents/writer/mcp-auth.json': '{}',
      'agents/writer/sessions/one.jsonl': '{}\n',
      'agents/writer/pi-debug.log': 'x\n',
      'agents/writer/.git/config': 'x\n',
      'agents/writer/bin/tool': 'x\n',
    });
    chmodSync(join(root, 'agents/writer/bin/tool'), 0o4755);
    await copy();
    for (const name of ['auth.json', 'mcp-auth.json', 'sessions', 'pi-debug.log', '.git'])
      expect(existsSync(inCopy(name)), name).toBe(false);
    if (process.platform !== 'win32') expect(statSync(inCopy('bin/tool')).mode & 0o7777).toBe(0o700);
  });

  test('leads every path that its files name to the copy', async () => {
    const { world, root, to, copy, read } = await makeRoot({
      'shared/mcp/server.mjs': 'old\n',
      'shared/keys/key.sh': 'echo key\n',
      'shared/text/more prompt.md': 'More.\n',
      'packages/local/package.json': '{"name":"local"}',
    });
    const outside = join(world, 'elsewhere/extra.ts');
    await plant(world, { 'elsewhere/extra.ts': 'export default () => {};\n' });
    await plant(root, {
      'agents/writer/pi-args': `--extension\n${outside}\n--append-system-prompt\n${root}/shared/text/more prompt.md\n`,
      'agents/writer/mcp.json': asJson({
        mcpServers: { s: { command: 'node', args: [`${root}/shared/mcp/server.mjs`] } },
      }),
      'agents/writer/models.json': asJson({
        providers: { p: { apiKey: `!sh ${root}/shared/keys/key.sh --now` } },
      }),
      'agents/writer/settings.json': asJson({
        packages: ['../../packages/local', 'npm:other'],
        prompts: ['~/notes.md'],
      }),
    });
    expect(await copy()).toEqual([outside, join(world, 'home/notes.md')]);
    expect(read('mcp.json')).toContain(asJson(join(to, 'shared/mcp/server.mjs')));
    expect(readFileSync(join(to, 'shared/mcp/server.mjs'), 'utf8')).toBe('old\n');
    expect(read('models.json')).toContain(`!sh ${join(to, 'shared/keys/key.sh')} --now`);
    expect(existsSync(join(to, 'shared/keys/key.sh'))).toBe(true);
    const settings = JSON.parse(read('settings.json'));
    expect(settings.packages).toEqual(['../../packages/local', 'npm:other']);
    expect(existsSync(join(to, 'packages/local/package.json'))).toBe(true);
    expect(readFileSync(settings.prompts[0], 'utf8')).toBe('Mine.\n');
    expect(settings.prompts[0].startsWith(to)).toBe(true);
    const [, extension = '', , prompt = ''] = read('pi-args').split('\n');
    expect(readFileSync(extension, 'utf8')).toContain('export default');
    expect(extension.startsWith(to)).toBe(true);
    expect(prompt).toBe(join(to, 'shared/text/more prompt.md'));
    expect(readFileSync(prompt, 'utf8')).toBe('More.\n');
    for (const name of ['pi-args', 'mcp.json', 'models.json', 'settings.json'])
      expect(read(name), name).not.toContain(root);
  });

  test.each([
    ['dot-mi’s own data', 'agents/writer/skills/x', '../../../../data/wallet'],
    ['a secret of another agent', 'agents/writer/x.md', '../scout/auth.json'],
    ['settings of another agent under another name', 'agents/writer/x.md', '../scout/models.json'],
    ['the whole root', 'agents/writer/skills/x', '../../../shared/..'],
  ])('is refused with a link to %s', async (_place, name, link) => {
    const { root, copy } = await makeRoot({
      'agents/scout/auth.json': '{}',
      'agents/scout/models.json': '{}',
      'shared/skills/a/SKILL.md': 'A\n',
    });
    await plant(root, { [name]: { link } });
    await expect(copy()).rejects.toMatchObject({ code: 'service_failed' });
  });

  test('has a copy of what a link out of the root leads to', async () => {
    const { world, root, to, copy, read } = await makeRoot({});
    await plant(world, { 'elsewhere/skill/SKILL.md': 'Old.\n' });
    symlinkSync(join(world, 'elsewhere/skill'), join(root, 'agents/writer/skills'));
    await copy();
    writeFileSync(join(world, 'elsewhere/skill/SKILL.md'), 'Changed.\n');
    expect(read('skills/SKILL.md')).toBe('Old.\n');
    expect(realpathSync(join(to, 'agents/writer/skills')).startsWith(to)).toBe(true);
  });
});
