import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import * as presets from '../../../src/shared/api/presets.ts';
import { restoreFromTrash } from '../../../src/shared/api/trash.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { recordWire } from './record.ts';

const web = { name: 'web' };
const STALE = { 'If-Match': '"0"' };

test('the wire of the presets is as recorded', () =>
  recordWire('presets', async (ask) => {
    const root = await makeRoot({
      'shared/presets/file_too_large.json': ' '.repeat(presets.MAX_PRESET_BYTES + 1),
      'shared/presets/linked_file.json': { link: '../../agents/scout/SYSTEM.md' },
      'shared/presets/not_a_file.json': null,
      'shared/presets/preset_unreadable.json': 'not JSON',
      'shared/presets/mcp_server_refused.json': '{ "mcpServers": { "docs": { "type": "sse" } } }',
      'shared/presets/docs.json': '{ "mcpServers": { "docs": { "url": "https://docs.example/mcp" } } }',
    });
    const server = await serve(root);
    const refused = { env: { TOKEN: 'text' }, command: 'x' };
    const content = { description: 'For the web.', skills: ['git-summary', 'gone'], extensions: ['say.ts'] };
    const toNew = { name: 'new' };
    const toScout = { agents: ['scout'] };
    await ask(server, presets.writePreset, 'success', { params: web, body: content });
    await ask(server, presets.writePreset, 'file_changed', { params: web, headers: STALE, body: content });
    await ask(server, presets.listPresets, 'success');
    await ask(server, presets.readPreset, 'success', { params: web });
    await ask(server, presets.applyPreset, 'success', {
      params: web,
      body: { agents: ['scout', 'nobody'], unlinkOthers: true },
    });
    await ask(server, presets.writePreset, 'mcp_server_refused', {
      params: web,
      body: { mcpServers: { docs: refused } },
    });
    await ask(server, presets.writePreset, 'mcp_server_not_found', {
      params: web,
      body: { mcpServersFrom: { docs: 'scout' } },
    });
    await ask(server, presets.applyPreset, 'mcp_server_refused', {
      params: { name: 'mcp_server_refused' },
      body: toScout,
    });
    await ask(server, presets.applyPreset, 'success', {
      params: { name: 'docs' },
      body: toScout,
      label: 'MCP servers',
    });
    await ask(server, presets.applyPreset, 'invalid_agent_id', { params: web, body: { agents: ['-x'] } });
    await ask(server, presets.renamePreset, 'file_changed', { params: web, headers: STALE, body: toNew });
    await ask(server, presets.deletePreset, 'file_changed', { params: web, headers: STALE });

    const bodies = [
      [presets.readPreset, undefined],
      [presets.writePreset, content],
      [presets.renamePreset, toNew],
      [presets.deletePreset, undefined],
      [presets.restorePreset, undefined],
      [presets.applyPreset, toScout],
    ] as const;
    for (const [endpoint, body] of bodies) {
      await ask(server, endpoint, 'invalid_name', { params: { name: 'nul' }, body });
      const errors: readonly string[] = endpoint.errors;
      if (errors.includes('preset_not_found'))
        await ask(server, endpoint, 'preset_not_found', { params: { name: 'none' }, body });
      for (const name of ['linked_file', 'not_a_file', 'file_too_large', 'preset_unreadable'] as const)
        if (errors.includes(name)) await ask(server, endpoint, name, { params: { name }, body });
    }

    await ask(server, presets.renamePreset, 'success', { params: web, body: toNew });
    await ask(server, presets.renamePreset, 'preset_exists', {
      params: { name: 'new' },
      body: { name: 'not_a_file' },
    });
    const removed = await ask(server, presets.deletePreset, 'success', { params: toNew });
    await server.asOperator('PUT', '/api/presets/new', content);
    await ask(server, restoreFromTrash, 'preset_exists', { params: { entry: removed.body.entry } });
    await server.asOperator('DELETE', '/api/presets/new');
    await ask(server, presets.restorePreset, 'success', { params: toNew });
    await server.asOperator('DELETE', '/api/presets/new');
    await writeFile(join(root, 'shared/presets/new.json'), '{}');
    await ask(server, presets.restorePreset, 'preset_exists', { params: toNew });
    await rm(join(root, 'shared/skills'), { recursive: true });
    await plant(root, { 'shared/skills': { link: await makeTempDirectory() } });
    await ask(server, presets.applyPreset, 'outside_root', {
      params: toNew,
      body: { agents: ['scout'], unlinkOthers: true },
    });
    await server.asOperator('DELETE', '/api/presets/new');

    await rm(join(root, 'shared/presets'), { recursive: true });
    await writeFile(join(root, 'shared/presets'), '');
    await ask(server, presets.listPresets, 'not_a_directory');
    for (const [endpoint, body] of bodies)
      await ask(server, endpoint, 'not_a_directory', { params: toNew, body });
    await rm(root, { recursive: true });
    await ask(server, presets.listPresets, 'root_unavailable');
    for (const [endpoint, body] of bodies)
      await ask(server, endpoint, 'root_unavailable', { params: toNew, body });
  }));
