import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/shared/api/index.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { pathOf } from './wire/record.ts';

const conditional = endpoints.filter(({ success }) => success.conditional);

test('every list and catalog returns 304 while nothing has changed, and anew after a change', async () => {
  const root = await makeRoot({
    'agents/scout/SYSTEM.md': 'You scout.\n',
    'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
  });
  // Some lists have values that only the operator sees.
  const { asOperator: call, operatorToken, url } = await serve(root);
  expect(conditional.map(({ id }) => id)).toContain('agents.list');
  const ask = async (path: string, etag: string) =>
    fetch(`${url}${path}`, {
      headers: { 'If-None-Match': etag, Authorization: `Bearer ${operatorToken}` },
    });
  for (const endpoint of conditional) {
    const path = pathOf(endpoint, {}, endpoint.id === 'links.matrix' ? { kind: 'skills' } : {});
    const { headers, body } = await call('GET', path);
    const etag = headers.get('etag') ?? '';
    expect([path, etag]).toEqual([path, expect.stringMatching(/^"[0-9a-f]{64}"$/)]);
    for (const condition of [etag, `"x", ${etag}`, `W/${etag}`]) {
      const answer = await ask(path, condition);
      expect([path, answer.status, await answer.text()]).toEqual([path, 304, '']);
      expect(answer.headers.get('etag')).toBe(etag);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    const other = await ask(path, '"another"');
    expect([other.status, await other.json()]).toEqual([200, body]);
  }

  const { headers } = await call('GET', '/api/agents');
  await writeFile(join(root, 'agents', 'scout', 'workspace.conf'), 'src\n');
  const after = await ask('/api/agents', headers.get('etag') ?? '');
  expect(after.status).toBe(200);
  expect(after.headers.get('etag')).not.toBe(headers.get('etag'));
});

test('a refused request never gets a 304', async () => {
  const { url, call } = await serve(await makeRoot());
  const etag = (await call('GET', '/api/agents')).headers.get('etag') ?? '';
  const answer = await fetch(`${url}/api/agents`, {
    headers: { 'If-None-Match': etag, Origin: 'http://evil.example' },
  });
  expect(answer.status).toBe(403);
});
