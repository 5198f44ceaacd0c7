import { generateKeyPairSync, sign } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { createParser } from 'eventsource-parser';
import { onTestFinished, test } from 'vitest';
import { getEarnings } from '../../../src/shared/api/earnings.ts';
import { streamEvents } from '../../../src/shared/api/events.ts';
import { getHealth } from '../../../src/shared/api/health.ts';
import * as keys from '../../../src/shared/api/keys.ts';
import { getIndex, getOpenApi } from '../../../src/shared/api/openapi.ts';
import { renewOperatorToken } from '../../../src/shared/api/operator-token.ts';
import { createPageKey, deletePageKey, listPageKeys } from '../../../src/shared/api/page-keys.ts';
import { listRequests } from '../../../src/shared/api/requests.ts';
import { changeSettings, getSettings } from '../../../src/shared/api/settings.ts';
import * as signIn from '../../../src/shared/api/sign-in.ts';
import { receiveToken } from '../../../src/shared/api/wallet.ts';
import { freePort } from '../../support/free-port.ts';
import { host } from '../../support/host.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { fieldsOf } from './fields.ts';
import { compareWithRecord, headersOf, recordWire } from './record.ts';

test('the wire of health and the OpenAPI document is as recorded', () =>
  recordWire('health', async (ask) => {
    const server = await serve(await makeRoot());
    await ask(server, getHealth, 'success');
    await ask(server, getHealth, 'success', {
      query: { nonce: 'n', origin: server.url },
      label: 'with a proof',
    });
    await ask(server, getHealth, 'invalid_request', { query: { nonce: 'n'.repeat(129) } });
    await ask(server, getOpenApi, 'success', { depth: 1 });
    await ask(server, getIndex, 'success', { depth: 1 });
    const withToken = await serve(await makeRoot(), { environment: { API_TOKEN: 'some-token-of-tests' } });
    await ask(withToken, getHealth, 'success', { label: 'without the token' });
  }));

test('the wire of signing in is as recorded', () =>
  recordWire('sign-in', async (ask) => {
    const server = await serve(await makeRoot());
    const origin = server.url;
    const bearer = { Authorization: `Bearer ${server.operatorToken}` };
    await ask(server, signIn.exchangeToken, 'success', { headers: bearer, body: {} });
    await ask(server, signIn.exchangeToken, 'unauthorized', { body: {} });

    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    const key = (part = x) => ({ name: 'Firefox', publicKey: { kty: 'EC', crv: 'P-256', x: part, y } });
    const { body: made } = await ask(server, createPageKey, 'success', { body: key() });
    await ask(server, createPageKey, 'sign_in_refused', { body: key('AA') });
    await ask(server, listPageKeys, 'success');

    const { challenge } = (await ask(server, signIn.getChallenge, 'success')).body;
    const signed = {
      keyId: made.id,
      challenge,
      signature: sign('sha256', Buffer.from(signIn.signInMessage(challenge, origin)), {
        key: privateKey,
        dsaEncoding: 'ieee-p1363',
      }).toString('base64url'),
    };
    await ask(server, signIn.signIn, 'success', { body: signed });
    await ask(server, signIn.signIn, 'sign_in_refused', { body: signed });
    await ask(server, signIn.signIn, 'page_key_not_found', { body: { ...signed, keyId: 'x' } });

    await ask(server, deletePageKey, 'success', { params: { keyId: made.id } });
    await ask(server, deletePageKey, 'page_key_not_found', { params: { keyId: made.id } });
    await ask(server, deletePageKey, 'invalid_request', { params: { keyId: 'x'.repeat(65) } });
    await ask(server, renewOperatorToken, 'success', { body: {} });
  }));

test('the wire of agent keys is as recorded', () =>
  recordWire('keys', async (ask) => {
    const root = await makeRoot();
    const server = await serve(root);
    const body = {
      label: 'Orders',
      agent: 'scout',
      scopes: ['receive', 'spend', 'read-agents'],
      spend: { satsPerDay: 5 },
    };
    const { body: created } = await ask(server, keys.createKey, 'success', { body });
    await ask(server, keys.createKey, 'invalid_request', { body: { ...body, scopes: ['spend', 'none'] } });
    await ask(server, keys.createKey, 'invalid_agent_id', { body: { ...body, agent: '-x' } });
    await ask(server, keys.createKey, 'agent_not_found', { body: { ...body, agent: 'nobody' } });
    await ask(server, keys.listKeys, 'success');
    await ask(server, keys.getOwnKey, 'success', {
      headers: { Authorization: `Bearer ${created.key}` },
    });
    await ask(server, receiveToken, 'forbidden_agent', {
      headers: { Authorization: `Bearer ${created.key}` },
      body: { token: 'cashuAx', agent: 'courier' },
    });
    await ask(server, getEarnings, 'forbidden_agent', {
      headers: { Authorization: `Bearer ${created.key}` },
      query: { agent: 'courier' },
    });
    const path = { params: { keyId: created.id } };
    await ask(server, keys.deleteKey, 'success', path);
    await ask(server, keys.deleteKey, 'agent_key_not_found', path);
    await rm(root, { recursive: true });
    await ask(server, keys.createKey, 'root_unavailable', { body });
  }));

test('the wire of the request log is as recorded', () =>
  recordWire('requests', async (ask) => {
    const server = await serve(await makeRoot());
    const Authorization = `Bearer ${server.operatorToken}`;
    const body = { label: 'Orders', agent: 'scout', scopes: ['read-agents'] };
    const { key } = (await server.call('POST', keys.createKey.path, body, { Authorization })).body;
    await server.call('GET', '/api/agents/scout', undefined, { Authorization: `Bearer ${key}` });
    await server.call('GET', '/api/nowhere');
    await ask(server, listRequests, 'success', { query: { limit: '2' } });
    await ask(server, listRequests, 'invalid_agent_id', { query: { agent: '-x' } });
    await ask(server, listRequests, 'invalid_request', { query: { limit: '501' } });
  }));

const takePort = async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  return (other.address() as { port: number }).port;
};

test('the wire of the settings is as recorded', () =>
  recordWire('settings', async (ask) => {
    const data = await makeTempDirectory();
    await plant(data, { 'data/settings.json': JSON.stringify({ port: await freePort() }) });
    const server = await host({ PORT: '', DOT_MI_ROOT: await makeRoot() }, data);
    const client = { operatorToken: server.hosted.server().operatorToken, call: server.call };
    await ask(client, getSettings, 'success');
    await ask(client, changeSettings, 'setting_overridden', { body: { root: 'starter' } });
    await ask(client, changeSettings, 'invalid_request', { body: { mintUrl: 'ftp://mint.example' } });
    await ask(client, changeSettings, 'port_in_use', { body: { port: await takePort() } });
    await ask(client, changeSettings, 'success', { body: { devMode: true }, label: 'no restart' });
    // Only one of two at the same time is accepted, and nobody knows which.
    const body = { btcRefreshIntervalSeconds: 60 };
    const change = () => server.call('PUT', changeSettings.path, body);
    const answers = await Promise.all([change(), change()]);
    for (const outcome of ['success', 'restarting'] as const) {
      const answer = answers.find(({ body: { code = 'success' } }) => code === outcome);
      if (!answer) throw new Error(`nothing answered ${outcome}`);
      const replayed = { ...client, call: async () => answer };
      await ask(replayed, changeSettings, outcome, { body, label: 'restart' });
    }
    await server.untilStarted(2);
  }));

/** Reads the events that begin a stream: one of each name. */
const readFirstEvents = async (response: Response, count: number) => {
  const events: Record<string, unknown> = {};
  const parser = createParser({
    onEvent: ({ event = '', data }) => {
      events[event] = JSON.parse(data);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (Object.keys(events).length >= count) break;
  }
  return events;
};

const MOST_STREAMS = 24;

test('the wire of the event stream is as recorded', async () => {
  const { url } = await serve(await makeRoot());
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const open = () => fetch(`${url}${streamEvents.path}`, { signal: leave.signal });
  const [first] = await Promise.all(Array.from({ length: MOST_STREAMS }, open));
  const refused = await open();
  const { id, method, path } = streamEvents;
  const request = { request: `${method} ${path}`, sends: {} };
  if (!first) throw new Error('no stream');
  await compareWithRecord('events', {
    [`${id} success`]: {
      ...request,
      status: first.status,
      headers: headersOf(first.headers),
      body: fieldsOf(await readFirstEvents(first, 1)),
    },
    [`${id} too_many_streams`]: {
      ...request,
      status: refused.status,
      headers: headersOf(refused.headers),
      body: fieldsOf(await refused.json()),
    },
  });
});
