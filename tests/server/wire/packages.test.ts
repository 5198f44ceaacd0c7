import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { MAX_FILE_BYTES } from '../../../src/shared/api/names.ts';
import { getPackages } from '../../../src/shared/api/packages.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { recordWire } from './record.ts';

const scout = { id: 'scout' };
const badId = { id: '-x' };
const nobody = { id: 'nobody' };

test('the wire of the pi packages is as recorded', () =>
  recordWire('packages', async (ask) => {
    const outside = join(await makeTempDirectory(), 'outside.json');
    await writeFile(outside, '{}');
    const server = await serve(
      await makeRoot({
        'agents/scout/settings.json': JSON.stringify({
          packages: [
            { source: 'npm:tools@^1.0.0', autoload: false, skills: ['+skills/own'] },
            'https://me:Zq4T8vW1nB6x@git.example/a/b@v1',
            './gone',
            5,
          ],
        }),
        'agents/scout/npm/node_modules/tools/package.json': '{"version":"1.0.1"}',
        'agents/scout/npm/node_modules/tools/skills/own/SKILL.md': '',
        'agents/scout/npm/node_modules/tools/skills/other/SKILL.md': '',
        'agents/outside_root/settings.json': { link: outside },
        'agents/file_not_found/settings.json': { link: 'nowhere' },
        'agents/not_a_file/settings.json': null,
        'agents/not_text/settings.json': Uint8Array.of(0),
        'agents/file_too_large/settings.json': 'x'.repeat(MAX_FILE_BYTES + 1),
      }),
    );
    await ask(server, getPackages, 'success', { params: scout });
    const unreadable = [
      'file_not_found',
      'outside_root',
      'not_a_file',
      'not_text',
      'file_too_large',
    ] as const;
    for (const id of unreadable) await ask(server, getPackages, id, { params: { id } });
    await ask(server, getPackages, 'invalid_agent_id', { params: badId });
    await ask(server, getPackages, 'agent_not_found', { params: nobody });

    await rm(server.rootPath, { recursive: true });
    await ask(server, getPackages, 'root_unavailable', { params: scout });
  }));
