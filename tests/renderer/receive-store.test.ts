import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/renderer/src/api/client.ts';
import {
  createReceiveStore,
  isPendingToken,
} from '../../src/renderer/src/features/wallet/receive/receive-store.ts';
import type { ErrorCode } from '../../src/shared/api/errors.ts';
import type { Problem } from '../../src/shared/api/problem.ts';
import { bareToken } from '../../src/shared/bare-token.ts';

const makeDesk = () => {
  let count = 0;
  return createReceiveStore(() => `key${++count}`);
};

const refusal = (status: number, code: ErrorCode, more: Partial<Problem> = {}): ApiError =>
  new ApiError(status, code, 'No.', { error: 'No.', code, ...more });
const offline = new ApiError(0, 'offline', 'Nothing answers.');
const pending = (operationId: string) => refusal(503, 'redemption_pending', { operationId });

describe('bareToken', () => {
  it('removes the whitespace that mail and terminals insert, and the scheme of a link', () => {
    expect(bareToken(' cashu:cashuBo2F\r\n tZXRo\tdA \n')).toBe('cashuBo2FtZXRodA');
  });
});

describe('createReceiveStore', () => {
  it('starts nothing without a token, and nothing twice', () => {
    const store = makeDesk();
    store.type(' \n');
    expect(store.begin()).toBeNull();
    store.type('cashuBx');
    expect(store.begin()).toEqual({ token: 'cashuBx', key: 'key1' });
    expect(store.begin()).toBeNull();
  });

  it('does not change the text while its token is being received', () => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.type('cashuBy');
    expect(store.get().text).toBe('cashuBx');
  });

  it('empties the field after success and says so until something new is typed', () => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.received('cashuBx', { amount: 99, fee: 1 });
    expect(store.get()).toMatchObject({
      text: '',
      sending: false,
      outcome: { kind: 'received', amount: 99, fee: 1 },
    });
    store.type('');
    expect(store.get().outcome).not.toBeNull();
    store.type('c');
    expect(store.get().outcome).toBeNull();
  });

  it.each([
    ['nothing answered', offline],
    ['another program answered', new ApiError(200, 'unexpected_answer', '')],
    ['the server failed', refusal(500, 'internal')],
    ['the mint failed', refusal(502, 'mint_error')],
    ['the first is still running', refusal(409, 'idempotency_key_in_use')],
  ])('keeps the key for a retry when %s', (_, error) => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.refused('cashuBx', error);
    // The same token, however it is pasted.
    store.type('cashu\nBx ');
    expect(store.begin()?.key).toBe('key1');
  });

  it('keeps the key of a token while another one is received', () => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.refused('cashuBx', offline);
    store.type('cashuBy');
    expect(store.begin()?.key).toBe('key2');
    store.received('cashuBy', { amount: 1, fee: 0 });
    store.type('cashuBx');
    expect(store.begin()?.key).toBe('key1');
  });

  it.each([
    [
      'a definite no',
      (store: ReturnType<typeof makeDesk>) => store.refused('cashuBx', refusal(409, 'token_in_progress')),
    ],
    ['success', (store: ReturnType<typeof makeDesk>) => store.received('cashuBx', { amount: 1, fee: 0 })],
  ])('creates a new key after %s, since the old one would only repeat it', (_, end) => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    end(store);
    store.type('cashuBx');
    expect(store.begin()?.key).toBe('key2');
  });

  it('shows a refusal as long as its token stays, and no longer', () => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.refused('cashuBx', refusal(409, 'token_spent'));
    store.type('cashuBx\n');
    expect(store.get().outcome).toMatchObject({ kind: 'refused', code: 'token_spent', message: 'No.' });
    store.type('cashuB');
    expect(store.get().outcome).toBeNull();
  });

  it('follows a pending receive to its success, and keeps its token from being sent again', () => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.refused('cashuBx', pending('op1'));
    expect(store.get()).toMatchObject({ sending: false, outcome: null, text: 'cashuBx' });
    expect(isPendingToken(store.get(), 'cashuBx')).toBe(true);
    expect(store.begin()).toBeNull();
    store.ended('op1', { amount: 100, fee: undefined });
    expect(store.get()).toMatchObject({
      text: '',
      pendingReceives: [{ end: { kind: 'received', amount: 100 } }],
    });
    store.type('cashuBy');
    expect(store.get().pendingReceives).toEqual([]);
  });

  it('leaves the token in the field when a pending receive fails, and allows a retry', () => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.refused('cashuBx', pending('op1'));
    store.ended('op1', { code: 'mint_refused', message: 'No.' });
    expect(store.get().text).toBe('cashuBx');
    expect(store.get().pendingReceives[0]?.end).toMatchObject({ kind: 'refused', code: 'mint_refused' });
    expect(store.begin()?.key).toBe('key2');
  });

  it('follows several at once, and removes no text of another token', () => {
    const store = makeDesk();
    for (const name of ['x', 'y']) {
      store.type(`cashuB${name}`);
      store.begin();
      store.refused(`cashuB${name}`, pending(name));
    }
    store.type('cashuBz');
    store.ended('x', { amount: 1, fee: undefined });
    expect(store.get().text).toBe('cashuBz');
    expect(store.get().pendingReceives.map(({ end }) => end?.kind)).toEqual(['received', undefined]);
  });

  it('notices the end of an operation once, and of its own only', () => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.refused('cashuBx', pending('op1'));
    store.ended('op1', { amount: 1, fee: undefined });
    const listener = vi.fn();
    store.subscribe(listener);
    store.ended('op1', { amount: 1, fee: undefined });
    store.ended('other', { amount: 1, fee: undefined });
    expect(listener).not.toHaveBeenCalled();
  });

  it.each([
    ['token_spent', { receivedAt: '2026-11-20T10:00:00.000Z' }, '2026-11-20T10:00:00.000Z'],
    ['token_spent', {}, undefined],
    ['token_in_progress', {}, undefined],
  ] as const)('knows by %s that this wallet received the token itself', (code, more, receivedAt) => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.refused('cashuBx', refusal(409, code, { operationId: 'op1', ...more }));
    expect(store.get().outcome).toMatchObject({ code, own: { operationId: 'op1', receivedAt } });
  });

  it('doesn’t treat a refusal of another kind as its own receive', () => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.refused('cashuBx', refusal(400, 'mint_refused', { operationId: 'op1' }));
    expect(store.get().outcome).toMatchObject({ code: 'mint_refused', own: undefined });
    store.begin();
    store.refused('cashuBx', refusal(409, 'token_spent'));
    expect(store.get().outcome).toMatchObject({ code: 'token_spent', own: undefined });
  });

  it('receives each of several tokens, and keeps those that were refused in the field', () => {
    const store = makeDesk();
    store.type('cashuBone\ncashu:cashuBtwo  cashuBthr\nee\ncashuBone');
    expect(store.beginAll()?.token).toBe('cashuBone');
    store.received('cashuBone', { amount: 1, fee: 0 });
    expect(store.get()).toMatchObject({ sending: true, text: 'cashuBtwo\ncashuBthree' });
    expect(store.next()?.token).toBe('cashuBtwo');
    store.refused('cashuBtwo', refusal(409, 'token_spent'));
    expect(store.next()?.token).toBe('cashuBthree');
    store.received('cashuBthree', { amount: 4, fee: 0 });
    expect(store.next()).toBeNull();
    const { sending, text, results } = store.get();
    expect([sending, text]).toEqual([false, 'cashuBtwo']);
    expect(results).toMatchObject([
      { token: 'cashuBone', outcome: { kind: 'received', amount: 1 } },
      { token: 'cashuBtwo', outcome: { kind: 'refused', code: 'token_spent' } },
      { token: 'cashuBthree', outcome: { kind: 'received', amount: 4 } },
    ]);
    store.type('cashuBfour');
    expect(store.get().results).toEqual([]);
  });

  it('says for which agent a token is, keeps the agent for the next one, and clears the label', () => {
    const store = makeDesk();
    store.attribute({ agent: 'scout', label: ' order 7 ' });
    store.type('cashuBx');
    expect(store.begin()).toEqual({ token: 'cashuBx', key: 'key1', agent: 'scout', label: 'order 7' });
    store.attribute({ agent: 'writer' });
    expect(store.get().attribution.agent).toBe('scout');
    store.received('cashuBx', { amount: 1, fee: 0, agent: 'scout' });
    expect(store.get()).toMatchObject({
      attribution: { agent: 'scout', label: '' },
      outcome: { kind: 'received', agent: 'scout' },
    });
  });

  it('keeps the label until the last of several tokens, and while none is received', () => {
    const store = makeDesk();
    store.attribute({ agent: 'scout', label: 'order 7' });
    store.type('cashuBone\ncashuBtwo');
    expect(store.beginAll()?.label).toBe('order 7');
    store.received('cashuBone', { amount: 1, fee: 0 });
    expect(store.next()?.label).toBe('order 7');
    store.refused('cashuBtwo', refusal(409, 'token_spent'));
    store.next();
    expect(store.get().attribution.label).toBe('');
    store.attribute({ label: 'again' });
    store.begin();
    store.refused('cashuBtwo', refusal(409, 'token_spent'));
    expect(store.get().attribution.label).toBe('again');
  });

  it('asks with a new key when a retry is for another agent, because a key belongs to one request', () => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.refused('cashuBx', offline);
    store.attribute({ agent: 'scout' });
    expect(store.begin()).toMatchObject({ key: 'key2', agent: 'scout' });
    store.refused('cashuBx', offline);
    expect(store.begin()?.key).toBe('key2');
  });

  it('leaves an invoice in the field when the token next to it was received, and not the words around', () => {
    const store = makeDesk();
    const invoice = 'lnbc210n1pvjluezpp5qqqsyqcyq5rqwzqf';
    store.type(`Pay ${invoice} and take cashuBx.`);
    expect(store.begin()?.token).toBe('cashuBx');
    store.received('cashuBx', { amount: 1, fee: 0 });
    expect(store.get().text).toBe(invoice);
  });

  it('remembers that sats credited in DEV_MODE are simulated', () => {
    const store = makeDesk();
    store.type('cashuBx');
    store.begin();
    store.received('cashuBx', { amount: 1, fee: 0, simulated: true });
    expect(store.get().outcome).toMatchObject({ kind: 'received', simulated: true });
  });
});
