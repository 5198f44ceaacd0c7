import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/renderer/src/api/client.ts';
import { createTokenDesk, isUnderWay, tokenIn } from '../../src/renderer/src/features/wallet/token-desk.ts';
import type { ErrorCode, Problem } from '../../src/shared/api/errors.ts';

const makeDesk = () => {
  let count = 0;
  return createTokenDesk(() => `key${++count}`);
};

const refusal = (status: number, code: ErrorCode, more: Partial<Problem> = {}): ApiError =>
  new ApiError(status, code, 'No.', { error: 'No.', code, ...more });
const offline = new ApiError(0, 'offline', 'Nothing answers.');
const pending = (operationId: string) => refusal(503, 'redemption_pending', { operationId });

describe('tokenIn', () => {
  it('takes out the white space that mail and terminals put in, and the scheme of a link', () => {
    expect(tokenIn(' cashu:cashuBo2F\r\n tZXRo\tdA \n')).toBe('cashuBo2FtZXRodA');
  });
});

describe('createTokenDesk', () => {
  it('begins nothing without a token, and nothing twice', () => {
    const desk = makeDesk();
    desk.type(' \n');
    expect(desk.begin()).toBeNull();
    desk.type('cashuBx');
    expect(desk.begin()).toEqual({ token: 'cashuBx', key: 'key1' });
    expect(desk.begin()).toBeNull();
  });

  it('does not change the text while its token is on the way', () => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.type('cashuBy');
    expect(desk.get().text).toBe('cashuBx');
  });

  it('empties the field after success and says so until something new is typed', () => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.received('cashuBx', { amount: 99, fee: 1 });
    expect(desk.get()).toMatchObject({
      text: '',
      sending: false,
      outcome: { kind: 'received', amount: 99, fee: 1 },
    });
    desk.type('');
    expect(desk.get().outcome).not.toBeNull();
    desk.type('c');
    expect(desk.get().outcome).toBeNull();
  });

  it.each([
    ['nothing answered', offline],
    ['another program answered', new ApiError(200, 'unexpected_answer', '')],
    ['the server failed', refusal(500, 'internal')],
    ['the mint failed', refusal(502, 'mint_error')],
    ['the first is still running', refusal(409, 'idempotency_key_in_use')],
  ])('keeps the key for another try when %s', (_, error) => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.refused('cashuBx', error);
    // The same token, however it is pasted.
    desk.type('cashu\nBx ');
    expect(desk.begin()?.key).toBe('key1');
  });

  it('keeps the key of a token while another one is tried', () => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.refused('cashuBx', offline);
    desk.type('cashuBy');
    expect(desk.begin()?.key).toBe('key2');
    desk.received('cashuBy', { amount: 1, fee: 0 });
    desk.type('cashuBx');
    expect(desk.begin()?.key).toBe('key1');
  });

  it.each([
    [
      'a definite no',
      (desk: ReturnType<typeof makeDesk>) => desk.refused('cashuBx', refusal(409, 'token_in_progress')),
    ],
    ['success', (desk: ReturnType<typeof makeDesk>) => desk.received('cashuBx', { amount: 1, fee: 0 })],
  ])('makes a new key after %s, since the old one would only repeat it', (_, end) => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    end(desk);
    desk.type('cashuBx');
    expect(desk.begin()?.key).toBe('key2');
  });

  it('says a refusal as long as its token stays, and no longer', () => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.refused('cashuBx', refusal(409, 'token_spent'));
    desk.type('cashuBx\n');
    expect(desk.get().outcome).toMatchObject({ kind: 'refused', code: 'token_spent', message: 'No.' });
    desk.type('cashuB');
    expect(desk.get().outcome).toBeNull();
  });

  it('follows a pending receive to its success, and keeps its token from being sent again', () => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.refused('cashuBx', pending('op1'));
    expect(desk.get()).toMatchObject({ sending: false, outcome: null, text: 'cashuBx' });
    expect(isUnderWay(desk.get(), 'cashuBx')).toBe(true);
    expect(desk.begin()).toBeNull();
    desk.ended('op1', { amount: 100, fee: undefined });
    expect(desk.get()).toMatchObject({ text: '', followed: [{ end: { kind: 'received', amount: 100 } }] });
    desk.type('cashuBy');
    expect(desk.get().followed).toEqual([]);
  });

  it('leaves the token in the field when a pending receive fails, and lets it be tried anew', () => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.refused('cashuBx', pending('op1'));
    desk.ended('op1', { code: 'mint_refused', message: 'No.' });
    expect(desk.get().text).toBe('cashuBx');
    expect(desk.get().followed[0]?.end).toMatchObject({ kind: 'refused', code: 'mint_refused' });
    expect(desk.begin()?.key).toBe('key2');
  });

  it('follows several at once, and takes away no text of another token', () => {
    const desk = makeDesk();
    for (const name of ['x', 'y']) {
      desk.type(`cashuB${name}`);
      desk.begin();
      desk.refused(`cashuB${name}`, pending(name));
    }
    desk.type('cashuBz');
    desk.ended('x', { amount: 1, fee: undefined });
    expect(desk.get().text).toBe('cashuBz');
    expect(desk.get().followed.map(({ end }) => end?.kind)).toEqual(['received', undefined]);
  });

  it('hears the end of an operation once, and of its own only', () => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.refused('cashuBx', pending('op1'));
    desk.ended('op1', { amount: 1, fee: undefined });
    const listener = vi.fn();
    desk.subscribe(listener);
    desk.ended('op1', { amount: 1, fee: undefined });
    desk.ended('other', { amount: 1, fee: undefined });
    expect(listener).not.toHaveBeenCalled();
  });

  it.each([
    ['token_spent', { receivedAt: '2026-11-20T10:00:00.000Z' }, '2026-11-20T10:00:00.000Z'],
    ['token_spent', {}, undefined],
    ['token_in_progress', {}, undefined],
  ] as const)('knows by %s that this wallet received the token itself', (code, more, receivedAt) => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.refused('cashuBx', refusal(409, code, { operationId: 'op1', ...more }));
    expect(desk.get().outcome).toMatchObject({ code, own: { operationId: 'op1', receivedAt } });
  });

  it('takes no refusal of another kind for an own receive', () => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.refused('cashuBx', refusal(400, 'mint_refused', { operationId: 'op1' }));
    expect(desk.get().outcome).toMatchObject({ code: 'mint_refused', own: undefined });
    desk.begin();
    desk.refused('cashuBx', refusal(409, 'token_spent'));
    expect(desk.get().outcome).toMatchObject({ code: 'token_spent', own: undefined });
  });

  it('remembers that what DEV_MODE credits is simulated', () => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.received('cashuBx', { amount: 1, fee: 0, simulated: true });
    expect(desk.get().outcome).toMatchObject({ kind: 'received', simulated: true });
  });

  it('shows a pending answer that names no operation as a refusal that may be tried again', () => {
    const desk = makeDesk();
    desk.type('cashuBx');
    desk.begin();
    desk.refused('cashuBx', refusal(503, 'redemption_pending'));
    expect(desk.get().outcome).toMatchObject({ kind: 'refused', code: 'redemption_pending' });
    expect(desk.begin()?.key).toBe('key1');
  });
});
