import { Amount, PaymentRequest, PaymentRequestTransportType } from '@cashu/cashu-ts';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../eventually.ts';
import { testMint } from '../../mint/for-test.ts';
import type { TestMint } from '../../mint/test-mint.ts';
import { OfferError, openCashuCustomer } from '../cashu-customer.ts';
import { openCustomerWallet } from '../customer-wallet.ts';
import { send } from '../post.ts';
import { type ChatBody, openRoutstrCustomer, readEvents } from '../routstr-customer.ts';
import { openStrictShop, type StrictShop } from '../strict-shop.ts';

/** The customers themselves, against a shop that is as strict as it is small, and a mint with a fee. */

const PRICE = 12;
const START = 500;
const HELLO = { prompt: 'hello' };

const open = async (encoding: 'creqA' | 'creqB' = 'creqA') => {
  // Each proof costs half a sat, so that face and net values differ.
  const mint = await testMint({ keysets: [{ inputFeePpk: 500 }] });
  const shop = await openStrictShop(mint, { price: PRICE, encoding });
  const waits: number[] = [];
  const wait = (ms: number) => {
    waits.push(ms);
    // A turn of the event loop, so that a shop in this process can work.
    return new Promise((resolve) => setImmediate(resolve));
  };
  const made = () => ({ mintUrl: mint.url, tokens: [mint.issue(START)], wait });
  return {
    mint,
    shop,
    waits,
    cashu: () => openCashuCustomer(made()),
    routstr: () => openRoutstrCustomer(made()),
  };
};

/** Every sat is the customer's or the shop's, and nobody did what no customer may do. */
const audit = async (mint: TestMint, shop: StrictShop, ...customers: { total(): Promise<number> }[]) => {
  expect(shop.violations()).toEqual([]);
  const totals = await Promise.all(customers.map((customer) => customer.total()));
  expect(totals.reduce((sum, one) => sum + one, shop.till())).toBe(mint.outstanding());
};

describe('a customer with cashu-ts', () => {
  test.each(['creqA', 'creqB'] as const)(
    'reads %s, pays, gets work once, and swaps its change',
    async (encoding) => {
      const { mint, shop, cashu } = await open(encoding);
      const customer = await cashu();
      expect(await customer.ask(shop.url, HELLO)).toMatchObject({ amount: PRICE, encoding });
      shop.plan({ cost: 5 });
      const purchase = await customer.buy(shop.url, HELLO, { includeFees: true });
      expect(purchase).toMatchObject({ outcome: 'bought', status: 200, returned: 0, refunded: 0 });
      expect(purchase.paid).toBeGreaterThan(PRICE);
      expect(purchase.change).toBeGreaterThan(0);
      expect(shop.worked()).toEqual(['hello']);
      expect(customer.work()).toMatchObject([{ text: 'worked on hello' }]);
      const { start, paid, change, fees } = customer.books();
      expect(await customer.total()).toBe(start - paid + change - fees);
      await audit(mint, shop, customer);
    },
  );

  test('takes its token back where a normal send is too little after the fee of the seller', async () => {
    const { mint, shop, cashu } = await open();
    const customer = await cashu();
    const purchase = await customer.buy(shop.url, HELLO);
    expect(purchase).toMatchObject({ outcome: 'refused', status: 402, paid: PRICE, returned: PRICE });
    expect([shop.worked(), shop.till()]).toEqual([[], 0]);
    expect(await customer.buy(shop.url, HELLO, { extra: 10 })).toMatchObject({ outcome: 'bought', paid: 22 });
    await audit(mint, shop, customer);
  });

  test('pays nothing for an offer that it cannot or must not accept', async () => {
    const { mint, shop, cashu } = await open();
    const customer = await cashu();
    const creq = (...made: ConstructorParameters<typeof PaymentRequest>) =>
      new PaymentRequest(...made).toEncodedCreqA();
    const lock = { kind: 'P2PK', data: `02${'11'.repeat(32)}`, tags: [] };
    const post = [{ type: PaymentRequestTransportType.POST, target: 'http://127.0.0.1:1/' }];
    for (const [offer, says] of [
      [undefined, 'no X-Cashu'],
      [creq(undefined, undefined, undefined, 'sat', [mint.url]), 'no amount'],
      [creq(undefined, undefined, Amount.from(1), 'usd', [mint.url]), 'for usd'],
      [creq(undefined, undefined, 1, 'sat', ['https://mint.example']), 'does not list'],
      [creq(undefined, undefined, 1, 'sat', [mint.url], undefined, false, lock), 'a lock: P2PK'],
      [creq(post, undefined, 1, 'sat', [mint.url]), 'a transport'],
    ] as const) {
      shop.offer(offer);
      const refusal = await customer.buy(shop.url, HELLO).catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(OfferError);
      expect(String(refusal)).toContain(says);
    }
    expect(customer.books().paid).toBe(0);
    await audit(mint, shop, customer);
  });

  test('gets its refund after a lost response, when the seller says that it is early at first', async () => {
    const { mint, shop, waits, cashu } = await open();
    const customer = await cashu();
    const { promise: until, resolve: finish } = Promise.withResolvers<void>();
    shop.plan({ cost: 4, until });
    expect(await customer.buy(shop.url, HELLO, { includeFees: true, lose: 'connection' })).toMatchObject({
      outcome: 'lost',
      change: 0,
    });
    await eventually(() => expect(shop.worked()).toHaveLength(1));
    const settling = customer.settle();
    await eventually(() => expect(shop.refundStatuses()).toContain(425));
    finish();
    const [settled, ...others] = await settling;
    expect(others).toEqual([]);
    expect(settled).toMatchObject({ outcome: 'refunded' });
    expect(settled?.waited).toBeGreaterThan(0);
    expect(new Set(waits)).toEqual(new Set([2000]));
    expect([customer.unsettled(), customer.work(), shop.worked()]).toEqual([0, [], ['hello']]);
    await audit(mint, shop, customer);
  });

  test('gets its change by the refund route after a response that it did not read', async () => {
    const { mint, shop, cashu } = await open();
    const customer = await cashu();
    shop.plan({ cost: 4 });
    await customer.buy(shop.url, HELLO, { includeFees: true, lose: 'answer' });
    expect(await customer.settle()).toMatchObject([{ outcome: 'refunded', waited: 0 }]);
    expect(await customer.settle()).toEqual([]);
    await audit(mint, shop, customer);
  });

  test('swaps a token back that the seller never redeemed', async () => {
    const { mint, shop, cashu } = await open();
    const customer = await cashu();
    shop.plan({ does: 'ignore' });
    const { paid } = await customer.buy(shop.url, HELLO, { includeFees: true });
    expect(await customer.settle()).toMatchObject([{ outcome: 'returned', paid, back: paid, waited: 0 }]);
    await audit(mint, shop, customer);
  });

  test('knows a token that was charged in full from one whose refund was swept', async () => {
    const { shop, cashu } = await open();
    const customer = await cashu();
    shop.plan({ cost: 1000 }, { cost: 4 });
    await customer.buy(shop.url, HELLO, { includeFees: true, lose: 'answer' });
    expect(await customer.settle()).toMatchObject([{ outcome: 'charged', back: 0 }]);
    await customer.buy(shop.url, HELLO, { includeFees: true, lose: 'answer' });
    shop.sweep();
    expect(await customer.settle()).toMatchObject([{ outcome: 'gone', back: 0 }]);
    expect(shop.refundStatuses()).toEqual([404, 404, 410]);
    await customer.total();
  });

  test.each(['both', 'header', 'body', 'nothing'] as const)(
    'gets all of it back when the work fails (refund: %s)',
    async (gives) => {
      const { mint, shop, cashu } = await open();
      const customer = await cashu();
      shop.plan({ does: 'fail', gives });
      const purchase = await customer.buy(shop.url, HELLO, { includeFees: true });
      expect(purchase).toMatchObject({ outcome: 'refused', status: 502, returned: 0 });
      expect(purchase.refunded > 0).toBe(gives !== 'nothing');
      expect(await customer.settle()).toMatchObject(gives === 'nothing' ? [{ outcome: 'refunded' }] : []);
      expect(shop.worked()).toEqual([]);
      await audit(mint, shop, customer);
    },
  );

  test.each(['header', 'nothing'] as const)(
    'swaps back a token that was refused (echo: %s)',
    async (gives) => {
      const { mint, shop, cashu } = await open();
      const customer = await cashu();
      shop.plan({ does: 'refuse', gives });
      const purchase = await customer.buy(shop.url, HELLO, { includeFees: true });
      expect(purchase).toMatchObject({ outcome: 'refused', status: 503, returned: purchase.paid });
      await audit(mint, shop, customer);
    },
  );

  test('fetches change that is only at the refund route', async () => {
    const { mint, shop, cashu } = await open();
    const customer = await cashu();
    shop.plan({ cost: 3, gives: 'route' });
    expect((await customer.buy(shop.url, HELLO, { includeFees: true })).change).toBeGreaterThan(0);
    await audit(mint, shop, customer);
  });

  test('keeps its sats when the mint dies in each swap of a purchase', async () => {
    const { mint, shop, cashu } = await open();
    const customer = await cashu();
    for (const when of ['before', 'after'] as const) {
      shop.plan({ does: 'ignore' });
      mint.fail('/v1/swap', { kind: 'drop', when, times: 2 });
      await customer.buy(shop.url, HELLO, { includeFees: true });
      mint.fail('/v1/swap', { kind: 'drop', when, times: 2 });
      expect(await customer.settle()).toMatchObject([{ outcome: 'returned' }]);
    }
    await audit(mint, shop, customer);
  });

  test('buys many times at once, and its books hold', async () => {
    const { mint, shop, cashu } = await open();
    const [one, other] = await Promise.all([cashu(), cashu()]);
    shop.plan(...Array.from({ length: 8 }, (_, at) => ({ cost: 3 + at })));
    const buy = (prompt: string) => one.buy(shop.url, { prompt }, { includeFees: true });
    const purchases = await Promise.all([
      ...['a', 'b', 'c', 'd'].map(buy),
      ...(['e', 'f'] as const).map((prompt) => other.buy(shop.url, { prompt }, { includeFees: true })),
    ]);
    expect(purchases.every(({ outcome }) => outcome === 'bought')).toBe(true);
    expect(shop.worked().toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect([one.work().length, new Set(one.sent()).size]).toEqual([4, 4]);
    await audit(mint, shop, one, other);
  });

  test('counts what arrives while it swaps for a token, also when the mint cannot restore at first', async () => {
    const { mint, cashu } = await open();
    const customer = await cashu();
    const wallet = await openCustomerWallet(mint.url, [mint.issue(START)], () => Promise.resolve());
    mint.fail('/v1/swap', { kind: 'hang', times: 1 });
    const making = wallet.makeToken(3);
    await eventually(() => expect(mint.hanging()).toBe(1));
    await wallet.receive(mint.issue(8), 'change');
    mint.clearFaults();
    mint.fail('/v1/swap', { kind: 'drop', when: 'after', times: 1 });
    mint.fail('/v1/restore', { kind: 'drop', times: 2 });
    await wallet.receive(mint.issue(16), 'refunds');
    expect(await wallet.takeBack((await making).token)).toBe(true);
    expect(wallet.books()).toMatchObject({ paid: 3, change: 8, refunds: 16, returned: 3 });
    expect((await wallet.total()) + (await customer.total())).toBe(mint.outstanding());
  });

  test('notices proofs that are not its own anymore, and never leaves loopback', async () => {
    const { mint, cashu } = await open();
    const customer = await cashu();
    mint.fail('/v1/checkstate', { kind: 'says-spent', share: 1 });
    await expect(customer.total()).rejects.toThrow('are not unspent');
    await expect(async () => send('http://192.0.2.1/')).rejects.toThrow('only buys on loopback');
  });
});

describe('a client of Routstr', () => {
  const chat = (more: Partial<ChatBody> = {}): ChatBody => ({
    model: 'translator',
    messages: [
      { role: 'system', content: 'Translate.' },
      { role: 'user', content: 'hello' },
    ],
    ...more,
  });
  /** More than the price: its own clients send exactly that, which is too little after the fee of this mint. */
  const SATS = 20;

  test('takes the price from the models, the front page or a payment request', async () => {
    const { shop, routstr } = await open();
    const customer = await routstr();
    const prices = ['models', 'front-page', 'payment-request'] as const;
    expect(await Promise.all(prices.map((price) => customer.priceOf(shop.url, chat(), price)))).toEqual([
      PRICE,
      PRICE,
      PRICE,
    ]);
    await expect(customer.priceOf(shop.url, chat({ model: 'poet' }))).rejects.toThrow('do not list poet');
  });

  test.each([false, true])(
    'pays without asking, and swaps the change of the header (stream: %s)',
    async (stream) => {
      const { mint, shop, routstr } = await open();
      const customer = await routstr();
      shop.plan({ cost: 5 });
      const completion = await customer.complete(shop.url, chat({ stream }), { sats: SATS });
      expect(completion).toMatchObject({ outcome: 'answered', text: 'worked on hello', paid: SATS });
      expect(completion.usage).toEqual({ prompt_tokens: 3, completion_tokens: 2 });
      expect((completion.chunks?.length ?? 0) > 1).toBe(stream);
      expect(completion.change).toBeGreaterThan(0);
      expect([customer.kept(), customer.work(), shop.worked()]).toEqual([0, ['worked on hello'], ['hello']]);
      await audit(mint, shop, customer);
    },
  );

  test('swaps its own token back when a 402 has a payment request where it expects a token', async () => {
    const { mint, shop, routstr } = await open();
    const customer = await routstr();
    const completion = await customer.complete(shop.url, chat());
    expect(completion).toMatchObject({ outcome: 'refused', status: 402, paid: PRICE, returned: PRICE });
    expect(completion.error).toMatchObject({ code: 'amount_too_low' });
    await audit(mint, shop, customer);
  });

  test.each(['both', 'header', 'body'] as const)(
    'swaps the refund of an upstream error (in %s)',
    async (gives) => {
      const { mint, shop, routstr } = await open();
      const customer = await routstr();
      shop.plan({ does: 'fail', gives });
      const completion = await customer.complete(shop.url, chat(), { sats: SATS });
      expect(completion).toMatchObject({
        outcome: 'refused',
        status: 502,
        error: { type: 'upstream_error' },
      });
      expect(completion.refunded).toBeGreaterThan(0);
      expect(customer.kept()).toBe(0);
      await audit(mint, shop, customer);
    },
  );

  test('refuses a refund_token that is not the token of the header, and keeps its own', async () => {
    const { shop, routstr } = await open();
    const customer = await routstr();
    shop.plan({ does: 'fail', gives: 'other' });
    await expect(customer.complete(shop.url, chat(), { sats: SATS })).rejects.toThrow('another token');
    expect(customer.kept()).toBe(1);
  });

  test('swaps back an echoed token, and forgets one that is called spent', async () => {
    const { shop, routstr } = await open();
    const customer = await routstr();
    shop.plan({ does: 'refuse', gives: 'header' }, { does: 'spent' });
    expect(await customer.complete(shop.url, chat(), { sats: SATS })).toMatchObject({ returned: SATS });
    expect(await customer.complete(shop.url, chat(), { sats: SATS })).toMatchObject({
      returned: 0,
      refunded: 0,
    });
    expect(customer.kept()).toBe(0);
  });

  test.each(['/v1/wallet/refund', '/v1/balance/refund'] as const)(
    'gets the refund of a lost answer at %s, when it is early at first',
    async (route) => {
      const { mint, shop, waits, routstr } = await open();
      const customer = await routstr();
      shop.plan({ cost: 4 });
      expect(await customer.complete(shop.url, chat(), { sats: SATS, lose: 'answer' })).toMatchObject({
        outcome: 'lost',
        returned: 0,
      });
      shop.early(2);
      expect(await customer.sweep(route)).toMatchObject([
        { outcome: 'pending', status: 425, retryAfterMs: 2000 },
      ]);
      expect(await customer.settle(route)).toMatchObject([{ outcome: 'refunded', status: 200 }]);
      expect([waits, shop.refundStatuses(), customer.kept()]).toEqual([[2000], [425, 425, 200], 0]);
      await audit(mint, shop, customer);
    },
  );

  test('keeps a token whose response had no change until the third 404', async () => {
    const { mint, shop, routstr } = await open();
    const customer = await routstr();
    shop.plan({ cost: 1000 });
    expect(await customer.complete(shop.url, chat(), { sats: SATS })).toMatchObject({
      outcome: 'answered',
      change: 0,
    });
    expect(customer.kept()).toBe(1);
    expect(await customer.settle()).toMatchObject([{ outcome: 'forgotten', status: 404 }]);
    expect([shop.refundStatuses(), customer.kept()]).toEqual([[404, 404, 404], 0]);
    await audit(mint, shop, customer);
  });

  test('swaps its token back at once when the connection was lost before the seller redeemed it', async () => {
    const { mint, shop, routstr } = await open();
    const customer = await routstr();
    shop.plan({ does: 'ignore' });
    expect(await customer.complete(shop.url, chat(), { sats: SATS })).toMatchObject({
      outcome: 'lost',
      returned: SATS,
    });
    expect(customer.kept()).toBe(0);
    await audit(mint, shop, customer);
  });

  test('keeps a token whose refund was swept, as its SDK does', async () => {
    const { shop, routstr } = await open();
    const customer = await routstr();
    shop.plan({ cost: 4 });
    await customer.complete(shop.url, chat(), { sats: SATS, lose: 'answer' });
    shop.sweep();
    expect(await customer.settle()).toMatchObject([{ outcome: 'kept', status: 410 }]);
    expect(customer.kept()).toBe(1);
  });

  test('asks many times at once, and its books hold', async () => {
    const { mint, shop, routstr } = await open();
    const customer = await routstr();
    shop.plan(...Array.from({ length: 6 }, (_, at) => ({ cost: 3 + at })));
    const asked = Array.from({ length: 6 }, (_, at) =>
      customer.complete(shop.url, chat({ stream: at % 2 === 0 }), { sats: SATS }),
    );
    expect((await Promise.all(asked)).every(({ outcome }) => outcome === 'answered')).toBe(true);
    expect([customer.work().length, shop.worked().length, customer.kept()]).toEqual([6, 6, 0]);
    await audit(mint, shop, customer);
  });

  test('does not accept a stream that was cut', () => {
    expect(() => readEvents('data: {"choices":[]}\n\n')).toThrow('does not end with [DONE]');
  });
});
