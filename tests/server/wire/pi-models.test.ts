import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { readJsonFile } from '../../../src/shared/api/json-files.ts';
import { MAX_FILE_BYTES } from '../../../src/shared/api/names.ts';
import { findModels, getPiModels, testModel } from '../../../src/shared/api/pi-models.ts';
import { serveOperator as serve } from '../../support/as-operator.ts';
import { listenProvider } from '../../support/model-provider.ts';
import { makeRoot } from '../../support/root.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { recordWire } from './record.ts';

const scout = { id: 'scout' };
const badId = { id: '-x' };
const nobody = { id: 'nobody' };

test('the wire of the models is as recorded', () =>
  recordWire('pi-models', async (ask) => {
    const outside = join(await makeTempDirectory(), 'outside.json');
    await writeFile(outside, '{}');
    const server = await serve(
      await makeRoot({
        'agents/scout/models.json': JSON.stringify({
          mine: 1,
          providers: {
            local: {
              name: 'Local',
              baseUrl: 'https://me:Zq4T8vW1nB6x@local.example/v1',
              apiKey: '!pass show local',
              authHeader: true,
              headers: { 'X-Key': 'Zq4T8vW1nB6x', 'X-Team': '$TEAM' },
              compat: {},
              models: [
                {
                  id: 'small',
                  name: 'Small',
                  api: 'openai-completions',
                  baseUrl: 'http://127.0.0.1:8080/v1',
                  reasoning: true,
                  input: ['text', 'image'],
                  contextWindow: 32_000,
                  maxTokens: 4000,
                  cost: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 0, tiers: [] },
                  headers: {},
                },
                { id: 'none' },
              ],
              modelOverrides: { other: { name: 'Other', later: 1 } },
            },
          },
        }),
        'agents/refused/models.json': '{"providers":{"x":{"models":[{"id":"m","cost":{"tiers":[{}]}}]}}}',
        'agents/outside_root/models.json': { link: outside },
        'agents/file_not_found/models.json': { link: 'nowhere' },
        'agents/not_a_file/models.json': null,
        'agents/not_text/models.json': Uint8Array.of(0),
        'agents/file_too_large/models.json': 'x'.repeat(MAX_FILE_BYTES + 1),
        'agents/broken/models.json': '{',
      }),
    );
    await ask(server, getPiModels, 'success', { params: scout });
    await ask(server, getPiModels, 'success', { params: { id: 'refused' }, label: 'refused' });
    const json = (id: string, file = 'models.json') => ({ params: { id, file } });
    await ask(server, readJsonFile, 'success', json('scout'));
    await ask(server, readJsonFile, 'success', { ...json('scout', 'mcp.json'), label: 'missing' });
    const revealed = { ...json('scout'), query: { reveal: 'true' } };
    await ask(server, readJsonFile, 'success', { ...revealed, label: 'revealed' });
    await ask(server, readJsonFile, 'operator_required', { ...revealed, headers: { Authorization: '' } });
    await ask(server, readJsonFile, 'success', { ...json('broken'), label: 'broken' });
    const unreadable = [
      'file_not_found',
      'outside_root',
      'not_a_file',
      'not_text',
      'file_too_large',
    ] as const;
    for (const id of unreadable) {
      await ask(server, getPiModels, id, { params: { id } });
      await ask(server, readJsonFile, id, json(id));
    }
    const provider = await listenProvider();
    onTestFinished(provider.close);
    const asked = { baseUrl: provider.url, api: 'openai-completions', apiKey: 'x', provider: 'local' };
    const calls = [
      [findModels, asked],
      [testModel, { ...asked, model: 'qwen3-8b' }],
    ] as const;
    for (const [endpoint, body] of calls) {
      await ask(server, endpoint, 'success', { params: scout, body });
      for (const id of unreadable) await ask(server, endpoint, id, { params: { id }, body });
      await ask(server, endpoint, 'invalid_agent_id', { params: badId, body });
      await ask(server, endpoint, 'agent_not_found', { params: nobody, body });
      const elsewhere = { ...body, baseUrl: 'http://192.168.1.1/v1' };
      await ask(server, endpoint, 'provider_refused', { params: scout, body: elsewhere });
      const html = { ...body, baseUrl: `${provider.origin}/html/v1` };
      await ask(server, endpoint, 'provider_failed', { params: scout, body: html });
    }
    await ask(server, getPiModels, 'invalid_agent_id', { params: badId });
    await ask(server, getPiModels, 'agent_not_found', { params: nobody });
    await ask(server, readJsonFile, 'invalid_agent_id', json('-x'));
    await ask(server, readJsonFile, 'agent_not_found', json('nobody'));

    await rm(server.rootPath, { recursive: true });
    await ask(server, getPiModels, 'root_unavailable', { params: scout });
    await ask(server, readJsonFile, 'root_unavailable', json('scout'));
    for (const [endpoint, body] of calls)
      await ask(server, endpoint, 'root_unavailable', { params: scout, body });
  }));
