import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { MAX_FILE_BYTES } from '../../../src/shared/api/names.ts';
import { getPiSettings } from '../../../src/shared/api/pi-settings.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { recordWire } from './record.ts';

const scout = { id: 'scout' };
const badId = { id: '-x' };
const nobody = { id: 'nobody' };

test('the wire of the pi settings is as recorded', () =>
  recordWire('pi-settings', async (ask) => {
    const outside = join(await makeTempDirectory(), 'outside.json');
    await writeFile(outside, '{}');
    const server = await serve(
      await makeRoot({
        'agents/scout/settings.json': JSON.stringify({
          mine: 1,
          defaultModel: 'gpt-5.4',
          transport: 'pigeon',
          httpProxy: 'http://me:Zq4T8vW1nB6x@proxy.example:3128',
        }),
        'agents/outside_root/settings.json': { link: outside },
        'agents/file_not_found/settings.json': { link: 'nowhere' },
        'agents/not_a_file/settings.json': null,
        'agents/not_text/settings.json': Uint8Array.of(0),
        'agents/file_too_large/settings.json': 'x'.repeat(MAX_FILE_BYTES + 1),
      }),
    );
    await ask(server, getPiSettings, 'success', { params: scout });
    const unreadable = [
      'file_not_found',
      'outside_root',
      'not_a_file',
      'not_text',
      'file_too_large',
    ] as const;
    for (const id of unreadable) await ask(server, getPiSettings, id, { params: { id } });
    await ask(server, getPiSettings, 'invalid_agent_id', { params: badId });
    await ask(server, getPiSettings, 'agent_not_found', { params: nobody });

    await rm(server.rootPath, { recursive: true });
    await ask(server, getPiSettings, 'root_unavailable', { params: scout });
  }));
