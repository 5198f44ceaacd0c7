import { describe, expect, test } from 'vitest';
import {
  COMMON_STEPS,
  CRASHES,
  expectNothingLost,
  killAt,
  post,
  startCrashing,
} from '../../support/crashing.ts';
import { until } from '../../support/raw-http.ts';
import { type Address, ask, must, readHistory } from '../../torture/ask.ts';

/** The server is started, does something, and ends itself at the step; then it is started again. */

const FACE = 100;
/** Of one proof of 64, one of 32 and one of 4. */
const FEE = 1;
const FUNDS = FACE - FEE;
const SENT = 32;

const receive = (token: string, key?: string) => post('/api/wallet/receive', { token }, key);
const readBalance = async (address: Address) =>
  (await must(address, { method: 'GET', path: '/api/wallet/balance' })).balance;

describe.each(Object.entries(CRASHES))('killed %s,', (_name, { step, prepare }) => {
  // Whatever was not on disk before the mint was asked is lost here.
  const tags = step === 'swap-answered' ? [] : ['slow'];
  test('a receive is completed, once, and answered under its key', { tags }, async () => {
    const { mint, address, died, restart } = await startCrashing(killAt(step, 0));
    const token = mint.issue(FACE, { withoutDleq: true });
    expect((await ask(address, post('/api/wallet/validate', { token })))?.body.valid).toBe(true);
    prepare?.(mint);
    expect(await ask(address, receive(token, 'key'))).toBeUndefined();
    await died();

    const again = await restart();
    expect(await readBalance(again)).toBe(FUNDS);
    const history = await readHistory(again);
    expect(history).toMatchObject([{ kind: 'receive', state: 'completed', amount: FUNDS, fee: FEE }]);
    expect((await ask(again, receive(token, 'key')))?.body).toMatchObject({
      success: true,
      amount: FUNDS,
      operationId: history[0]?.id,
    });
    expect((await ask(again, receive(token)))?.body.code).toBe('token_spent');
    await expectNothingLost(again, mint, [token]);
  });

  test('a send is completed, once: its token is in the history, returned under its key, and can be redeemed', {
    tags: 'slow',
  }, async () => {
    const { mint, address, died, restart } = await startCrashing(killAt(step, 1));
    await must(address, receive(mint.issue(FACE, { withoutDleq: true })));
    prepare?.(mint);
    const send = post('/api/wallet/send', { amount: SENT }, 'key');
    expect(await ask(address, send)).toBeUndefined();
    await died();

    const again = await restart();
    const [entry, ...rest] = await readHistory(again);
    expect(rest).toHaveLength(1);
    expect(entry).toMatchObject({ kind: 'send', state: 'completed', amount: SENT, spent: false });
    expect(await readBalance(again)).toBe(FUNDS - SENT - (entry?.fee ?? 0));
    const { id: operationId, token = '' } = entry ?? {};
    expect((await ask(again, send))?.body).toMatchObject({ token, operationId });
    expect(mint.unspent([token])).toBe(SENT);
    await expectNothingLost(again, mint);
    mint.spend([token]);
    await expectNothingLost(again, mint);
  });

  test('a reclaim is completed, once', { tags: 'slow' }, async () => {
    const { mint, address, died, restart } = await startCrashing(killAt(step, 2));
    await must(address, receive(mint.issue(FACE, { withoutDleq: true })));
    const { operationId } = await must(address, post('/api/wallet/send', { amount: SENT }));
    prepare?.(mint);
    const reclaim = post(`/api/wallet/operations/${operationId}/reclaim`);
    expect(await ask(address, reclaim)).toBeUndefined();
    await died();

    const again = await restart();
    const [entry, send] = await readHistory(again);
    expect(entry).toMatchObject({
      kind: 'reclaim',
      state: 'completed',
      amount: SENT - FEE,
      sendId: operationId,
    });
    expect(send).toMatchObject({ kind: 'send', state: 'completed', spent: true });
    expect(await readBalance(again)).toBe(FUNDS - (send?.fee ?? 0) - FEE);
    expect((await ask(again, reclaim))?.status).toBe(409);
    await expectNothingLost(again, mint);
  });
});

describe('killed right after an operation failed,', () => {
  test('a receive of a token that somebody else spent has failed, and can be requested again', {
    tags: 'slow',
  }, async () => {
    const { mint, address, died, restart } = await startCrashing({ step: 'operation-failed', occurrence: 1 });
    const token = mint.issue(FACE, { withoutDleq: true });
    mint.spend([token]);
    expect(await ask(address, receive(token, 'key'))).toBeUndefined();
    await died();

    const again = await restart();
    expect(await readHistory(again)).toMatchObject([
      { kind: 'receive', state: 'failed', error: { code: 'token_spent' } },
    ]);
    expect((await ask(again, receive(token, 'key')))?.body.code).toBe('token_spent');
    expect((await ask(again, receive(token)))?.body.code).toBe('token_spent');
    expect(await readBalance(again)).toBe(0);
    await expectNothingLost(again, mint, [token]);
  });

  test.each(['send', 'reclaim'])(
    'a refused %s has moved nothing, and can be repeated',
    { tags: 'slow' },
    async (kind) => {
      const { mint, address, died, restart } = await startCrashing({
        step: 'operation-failed',
        occurrence: 1,
      });
      await must(address, receive(mint.issue(FACE, { withoutDleq: true })));
      const { operationId, fee } = await must(address, post('/api/wallet/send', { amount: SENT }));
      const request =
        kind === 'send'
          ? post('/api/wallet/send', { amount: 10 })
          : post(`/api/wallet/operations/${operationId}/reclaim`);
      mint.fail('/v1/swap', { kind: 'error', code: 20_003, detail: 'not today' });
      expect(await ask(address, request)).toBeUndefined();
      await died();
      mint.clearFaults();

      const again = await restart();
      expect((await readHistory(again))[0]).toMatchObject({
        kind,
        state: 'failed',
        error: { code: 'mint_refused' },
      });
      expect(await readBalance(again)).toBe(FUNDS - SENT - fee);
      await expectNothingLost(again, mint);
      expect((await ask(again, request))?.status).toBeLessThan(300);
      await expectNothingLost(again, mint);
    },
  );
});

test.each(COMMON_STEPS)(
  'killed at %s, the move off a keyset that expires continues',
  { tags: 'slow' },
  async (step) => {
    const finalExpirySeconds = Math.floor(Date.now() / 1000) + 3 * 24 * 60 * 60;
    const { mint, address, died, restart } = await startCrashing(
      killAt(step, 1),
      { finalExpirySeconds },
      { movesSoon: true },
    );
    await must(address, receive(mint.issue(FACE, { withoutDleq: true })));
    mint.rotate({ inputFeePpk: 100 });
    await died();

    const again = await restart();
    await until(async () =>
      (await readHistory(again)).some(({ kind, state }) => kind === 'swap' && state === 'completed'),
    );
    const moves = (await readHistory(again)).filter(({ kind }) => kind === 'swap');
    expect(moves).toMatchObject([{ state: 'completed', amount: FUNDS - FEE, fee: FEE }]);
    expect(await readBalance(again)).toBe(FUNDS - FEE);
    await expectNothingLost(again, mint);
  },
);
