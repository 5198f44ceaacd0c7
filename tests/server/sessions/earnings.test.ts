import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** What agents earned, spent and have left. */

const start = async (btcUsd?: number) => {
  const root = await makeRoot({ 'agents/courier/SYSTEM.md': 'Hi' });
  const dataDirectory = await makeTempDirectory();
  const point = { at: Date.now() - 1_000, price: btcUsd, source: 'kraken' };
  if (btcUsd !== undefined)
    await plant(dataDirectory, { 'data/btc_price_history.jsonl': `${JSON.stringify(point)}\n` });
  const server = await serve(root, { dataDirectory });
  const spend = async (agent: string, usd: number, more: object = {}) => {
    const session = makeSession({ startedAtMs: Date.now() - 60_000 });
    session.call({ input: 1_000, usd }, more);
    const directory = join(root, 'agents', agent, 'sessions');
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, session.fileName), session.text());
  };
  const mint = await testMint();
  const earn = async (sats: number, agent?: string) => {
    const body = { token: mint.issue(sats), ...(agent === undefined ? {} : { agent }) };
    expect((await server.call('POST', '/api/wallet/receive', body)).status).toBe(200);
  };
  const read = async (query = '') => {
    const { status, body } = await server.asOperator('GET', `/api/earnings${query}`);
    expect([status, body.complete]).toEqual([200, true]);
    return body;
  };
  return { server, spend, earn, read };
};

const sumOf = (groups: Record<string, number | null>[], name: string) =>
  groups.reduce((sum, group) => sum + Number(group[name]), 0);

test('the margin of an agent is what it earned minus what it spent, and groups add up to the total', async () => {
  const { spend, earn, read } = await start(100_000);
  // $0.50 and $0.25 at $100,000 are 500 and 250 sats.
  await spend('scout', 0.5);
  await spend('courier', 0.25);
  await earn(2_000, 'scout');
  await earn(1_000, 'scout');
  // An agent that is gone, and no agent.
  await earn(64, 'retired');
  await earn(8);
  const byAgent = await read();
  expect(byAgent.simulated).toBe(true);
  expect(byAgent.groups).toMatchObject([
    { key: 'courier', earnedSats: 0, payments: 0, spentSatsRecorded: 250, marginSats: -250, calls: 1 },
    { key: 'retired', earnedSats: 64, payments: 1, spentSatsRecorded: 0, marginSats: 64, calls: 0 },
    { key: 'scout', earnedSats: 3_000, payments: 2, spentSatsRecorded: 500, marginSats: 2_500, calls: 1 },
    { key: null, earnedSats: 8, payments: 1, spentSatsRecorded: 0, marginSats: 8, calls: 0 },
  ]);
  const byDay = await read('?groupBy=day');
  for (const { groups, total } of [byAgent, byDay]) {
    expect(total).toEqual(byAgent.total);
    for (const name of [
      'earnedSats',
      'payments',
      'spentSatsRecorded',
      'spentSatsEstimated',
      'marginSats',
      'calls',
    ])
      expect(sumOf(groups, name), name).toBeCloseTo(total[name], 6);
  }
  const soon = new Date(Date.now() + 60_000).toISOString();
  expect((await read(`?from=${soon}`)).groups).toEqual([]);
});

test('without a BTC price or a price of the model there is no margin, instead of a wrong one', {
  tags: 'slow',
}, async () => {
  const withoutBtc = await start();
  await withoutBtc.spend('scout', 0.5);
  await withoutBtc.earn(100, 'scout');
  expect((await withoutBtc.read()).groups).toMatchObject([
    { key: 'scout', earnedSats: 100, spentSatsRecorded: null, marginSats: null },
  ]);
  const withoutPrice = await start(100_000);
  await withoutPrice.spend('scout', 0, { model: 'unheard-of' });
  await withoutPrice.earn(100, 'scout');
  const { groups, total } = await withoutPrice.read();
  expect(groups).toMatchObject([
    { key: 'scout', spentSatsEstimated: null, unpricedTokens: 1_000, marginSats: null },
  ]);
  expect(total.marginSats).toBeNull();
});

test('the table has the same figures, with empty fields for unknown ones', { tags: 'slow' }, async () => {
  const { server, spend, earn, read } = await start(100_000);
  await spend('scout', 0.5);
  await spend('courier', 0, { model: 'unheard-of' });
  await earn(3_000, 'scout');
  await earn(8);
  const response = await fetch(`${server.url}/api/earnings`, {
    headers: { Accept: 'text/csv', Authorization: `Bearer ${server.operatorToken}` },
  });
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  expect(await response.text()).toBe(
    [
      'key,earned_sats,payments,spent_sats_recorded,spent_sats_estimated,unpriced_tokens,margin_sats,calls',
      'courier,0,0,0,,1000,,1',
      'scout,3000,1,500,0,0,2500,1',
      ',8,1,0,0,0,8,0',
      '',
    ].join('\r\n'),
  );
  expect((await read()).groups).toHaveLength(3);
});

test('nobody follows what others earn without a key of theirs', async () => {
  const { server, earn } = await start(100_000);
  await earn(3_000, 'scout');
  await earn(100, 'courier');
  const ask = (query: string, token?: string) =>
    server.call(
      'GET',
      `/api/earnings${query}`,
      undefined,
      token === undefined ? {} : { Authorization: `Bearer ${token}` },
    );
  const keysOf = async (query: string, token?: string) => {
    const { body } = await ask(query, token);
    return body.code ?? body.groups.map(({ key }: { key: string | null }) => key);
  };
  const keyFor = async (agent?: string, scope = 'read-agents') =>
    (await server.asOperator('POST', '/api/keys', { label: 'x', scopes: [scope], agent })).body.key;
  for (const query of ['', '?groupBy=agent&from=2020-01-01T00:00:00Z', '?groupBy=day', '?agent=scout'])
    expect(await keysOf(query)).toBe('operator_required');
  expect(await keysOf('', server.operatorToken)).toEqual(['courier', 'scout']);
  const own = await keyFor('courier');
  expect(await keysOf('', own)).toEqual(['courier']);
  expect(await keysOf('?agent=courier', own)).toEqual(['courier']);
  expect((await ask('?groupBy=day', own)).body.total.earnedSats).toBe(100);
  expect(await keysOf('?agent=scout', own)).toBe('forbidden_agent');
  expect(await keysOf('', await keyFor())).toEqual(['courier', 'scout']);
  expect(await keysOf('', await keyFor('courier', 'prices'))).toBe('forbidden_scope');
});
