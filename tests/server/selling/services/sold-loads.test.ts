import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadsOf } from '../../../../src/server/selling/sold-loads.ts';
import { plant } from '../../../support/plant.ts';
import { makeTempDirectory } from '../../../support/temp.ts';

const OWN = fileURLToPath(new URL('../../../../resources/starter-root/shared/extensions', import.meta.url));

test('what runs code or sends text elsewhere is named, but not an unchanged extension of dot-mi', async () => {
  const root = await makeTempDirectory();
  const places = (id: string) => ({ ownExtensions: OWN, liveDirectory: join(root, 'live', id) });
  await plant(root, {
    'live/a/auth.json': JSON.stringify({ p: { type: 'api_key', key: '!pass show key' } }),
    'agents/a/extensions/mine.ts': 'export default () => {};\n',
    'agents/a/pi-args': '--no-tools\n-e\n./other.ts\n',
    'agents/a/settings.json': JSON.stringify({
      packages: ['npm:pack', { source: '../../local' }],
      extensions: ['./more.ts'],
      npmCommand: ['npm', 'exec'],
    }),
    'agents/a/models.json': JSON.stringify({
      providers: {
        p: { baseUrl: 'http://127.0.0.1:1234/v1', apiKey: '!op read key', headers: { X: '!date' } },
      },
    }),
    'agents/a/mcp.json': JSON.stringify({
      mcpServers: { files: { command: 'npx', args: ['-y', 'files'] }, web: { url: 'https://mcp.example/' } },
    }),
  });
  copyFileSync(join(OWN, 'agent-prompt.ts'), join(root, 'agents/a/extensions/agent-prompt.ts'));
  expect(await loadsOf(root, 'a', places('a'))).toEqual([
    'extension mine.ts',
    'extension ./other.ts',
    'extension ./more.ts',
    'package npm:pack',
    'package ../../local',
    'MCP server files (npx)',
    'MCP server web (https://mcp.example/)',
    'model server http://127.0.0.1:1234/v1',
    'command in models.json: op read key',
    'command in models.json: date',
    'npm command npm',
    'npm command exec',
    'command in auth.json: pass show key',
  ]);
  await plant(root, {
    'agents/b/models.json': '{ // pi reads this\n}',
    'agents/b/pi-args': '--no-extensions\n',
  });
  expect(await loadsOf(root, 'b', places('b'))).toEqual(['models.json, which dot-mi can’t read']);
  expect(await loadsOf(root, 'none', places('none'))).toEqual([]);
});
