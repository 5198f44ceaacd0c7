import express from 'express';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ROOT_HEADER } from '../../src/shared/api/endpoint.ts';
import { sendRaw } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve, type TestServer } from '../support/server.ts';

/** A GET of an address that was answered before doesn't pass through Express. See docs/adr/0050. */

const ADDRESSES = [
  '/api/health',
  '/api/agents',
  '/api/agents/scout',
  '/api/agents/scout/file?path=SYSTEM.md',
  '/api/agents/scout/links/skills',
  '/api/catalog/skills',
  '/api/pricing/models',
] as const;

const API_TOKEN = 'a-token-of-sixteen';
const OURS = 'Host: localhost';
const ALLOWED = [OURS, `Authorization: Bearer ${API_TOKEN}`];

const get = (url: string, address: string, headers: readonly string[]) =>
  sendRaw(url, [`GET ${address} HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'));

const keyOf = async (server: TestServer, scope: string) => {
  const { body } = await server.call(
    'POST',
    '/api/keys',
    { label: scope, scopes: [scope] },
    { Authorization: `Bearer ${server.operatorToken}` },
  );
  return body.key as string;
};

test('refuses a known address for the same reasons as a new one', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  const servers = await Promise.all(
    [true, false].map(async (isKnown) => {
      const server = await serve(root, { environment: { API_TOKEN } });
      if (isKnown)
        for (const address of ADDRESSES) expect((await get(server.url, address, ALLOWED)).status).toBe(200);
      const revoked = await keyOf(server, 'prices');
      const { body } = await server.call('GET', '/api/keys', undefined, {
        Authorization: `Bearer ${server.operatorToken}`,
      });
      await server.call('DELETE', `/api/keys/${body.keys[0].id}`, undefined, {
        Authorization: `Bearer ${server.operatorToken}`,
      });
      return {
        server,
        revoked,
        prices: await keyOf(server, 'prices'),
        agents: await keyOf(server, 'read-agents'),
      };
    }),
  );

  const refusals = ({
    prices,
    agents,
    revoked,
  }: (typeof servers)[number]): readonly (readonly string[])[] => [
    ['Host: evil.example', `Authorization: Bearer ${API_TOKEN}`],
    [OURS, 'Host: evil.example', `Authorization: Bearer ${API_TOKEN}`],
    [`Authorization: Bearer ${API_TOKEN}`],
    [...ALLOWED, 'Origin: http://evil.example'],
    [...ALLOWED, 'Origin: null', 'Sec-Fetch-Site: same-origin'],
    [...ALLOWED, 'Sec-Fetch-Site: cross-site'],
    [...ALLOWED, 'Service-Worker: script'],
    [...ALLOWED, `${ROOT_HEADER}: another`],
    [...ALLOWED, 'Content-Length: 99999999'],
    [OURS],
    [OURS, 'Authorization: Basic YTpi'],
    [OURS, 'Authorization: Bearer dmk_unknown'],
    [OURS, `Authorization: Bearer ${revoked}`],
    [OURS, `Authorization: Bearer ${prices}`],
    [OURS, `Authorization: Bearer ${agents}`],
  ];
  const answersOf = async (one: (typeof servers)[number]) => {
    const answers = new Map<string, unknown>();
    for (const [i, headers] of refusals(one).entries())
      for (const address of ADDRESSES) {
        const { status, head, body } = await get(one.server.url, address, headers);
        const names = head.split('\r\n').map((line) => line.split(':', 1)[0]);
        answers.set(`${i} ${address}`, { status, code: body?.code, error: body?.error, names });
      }
    return answers;
  };
  const [known, fresh] = await Promise.all(servers.map(answersOf));
  expect(known).toEqual(fresh);
  const codes = new Set([...(known ?? []).values()].map((answer) => (answer as { code?: string }).code));
  for (const code of [
    'forbidden_host',
    'forbidden_origin',
    'unauthorized',
    'forbidden_scope',
    'root_changed',
    'body_too_large',
  ])
    expect(codes).toContain(code);
});

test('passes each address through Express once, and never one that was refused or is not exactly the same', async () => {
  const throughExpress = vi.spyOn(express.application as unknown as { handle: () => void }, 'handle');
  onTestFinished(() => throughExpress.mockRestore());
  const { call } = await serve(await makeRoot());
  const passes = async (method: string, path: string, headers = {}) => {
    throughExpress.mockClear();
    await call(method, path, undefined, headers);
    return throughExpress.mock.calls.length;
  };
  expect(await passes('GET', '/api/agents/scout', { Origin: 'http://evil.example' })).toBe(0);
  expect(await passes('GET', '/api/agents/scout')).toBe(1);
  expect(await passes('GET', '/api/agents/scout')).toBe(0);
  expect(await passes('GET', '/api/agents/scout?x=1')).toBe(1);
  expect(await passes('GET', '/api/agents/../agents/scout/')).toBe(1);
  expect(await passes('DELETE', '/api/agents/scout')).toBe(1);
  for (let i = 0; i < 2; i++) {
    expect(await passes('GET', '/api/nothing')).toBe(1);
    expect(await passes('GET', '/api/agents/-bad')).toBe(1);
    expect(await passes('GET', '/api/agents/scout/file?path=other')).toBe(1);
  }
});

test('returns errors of known addresses in the same form, and sees each change', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const { call, asOperator } = await serve(root);
  for (let i = 0; i < 2; i++) expect((await call('GET', '/api/agents/scout')).status).toBe(200);
  await call('DELETE', '/api/agents/scout', { confirm: 'scout' });
  const gone = await call('GET', '/api/agents/scout');
  expect([gone.status, gone.body.code]).toEqual([404, 'agent_not_found']);
  const { body } = await asOperator('GET', '/api/trash');
  await asOperator('POST', `/api/trash/${body.entries[0].entry}/restore`);
  expect((await call('GET', '/api/agents/scout')).status).toBe(200);
});

test('sends short, long and non-ASCII responses byte for byte, with their length', async () => {
  const texts = ['plain', 'ünï ✓ 😀\u007f', 'x'.repeat(16_000), `${'x'.repeat(20_000)}é`];
  const files = Object.fromEntries(texts.map((text, i) => [`agents/a${i}/SYSTEM.md`, text]));
  const { url } = await serve(await makeRoot(files));
  for (const [i, text] of texts.entries())
    for (let again = 0; again < 2; again++) {
      const response = await fetch(`${url}/api/agents/a${i}/file?path=SYSTEM.md`);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(Number(response.headers.get('content-length'))).toBe(bytes.length);
      expect(JSON.parse(bytes.toString('utf8')).content).toBe(text);
      const head = await fetch(`${url}/api/agents/a${i}/file?path=SYSTEM.md`, { method: 'HEAD' });
      expect(Number(head.headers.get('content-length'))).toBe(bytes.length);
    }
});
