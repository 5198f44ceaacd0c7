import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { getDecodedToken } from '@cashu/cashu-ts';
import { ERRORS, isErrorCode } from '../../src/shared/api/errors.ts';
import type { TestMintProcess } from '../support/mint/test-mint-process.ts';
import { ask, type Reply } from './ask.ts';
import type { Visit } from './clients.ts';
import { yOf } from './leftovers.ts';
import { partOf } from './tokens.ts';

/** A token that a customer pays in. */
interface Deposit {
  text: string;
  /** The lives that it was sent to. One whose data was removed may have spent it. */
  sentTo: Set<number>;
  /** What it added, and the life that said so. */
  added?: { sats: number; life: number };
  /** No answer settles it yet. */
  isOpen: boolean;
}

/** A request that a balance pays for. */
interface Use {
  requestHash: string;
  amount: number;
  cost: number;
  charge?: { id: string; life: number };
  charged?: { sats: number; life: number };
  /** The balance was too low. */
  isRefused?: boolean;
}

/** A refund that arrived. */
interface Refund {
  token: string;
  fee: number;
  life: number;
}

/** A customer. Each key and answer belongs to the life that gave it. */
interface Customer {
  name: string;
  keys: { key: string; life: number }[];
  deposits: Deposit[];
  uses: Use[];
  refunds: Refund[];
  /** It asked for its rest and got no answer. */
  wantsRefund: boolean;
}

/** Customers who pay in advance, top up, buy, and take back their rest, whatever dies meanwhile. */
export interface PrepaidCustomers {
  /** How often each answer arrived. */
  answers: Map<string, number>;
  /** Calls a server as long as it runs. While it uses another mint, nobody pays in. */
  visit(visit: Visit, isElsewhere: boolean): Promise<void>;
  /**
   * Repeats all that has no answer, takes back every rest, and reports customers who lack sats. The mint and the server
   * must be calm. `strangers` are tokens that others may have redeemed. Returns how many customers it held to the sat.
   */
  settle(visit: Visit, strangers: readonly string[]): Promise<number>;
  /** All tokens of customers, with those of the stock. Some are redeemed. */
  tokens(): string[];
  /** All keys of balances. */
  keys(): string[];
}

/** Answers that are allowed while a server, a mint and connections fail and recover. */
const OF_THE_MINT = ['mint_error', 'mint_refused', 'mint_unreachable', 'wallet_busy', 'released'];
const OF_DEPOSITS = [
  ...OF_THE_MINT,
  'token_spent',
  'token_in_progress',
  'redemption_pending',
  'invalid_signature',
  'amount_below_fee',
  'amount_too_low',
];
const EXPECTED: Record<string, readonly string[]> = {
  open: [...OF_DEPOSITS, 'charge_is_deposit'],
  'top-up': OF_DEPOSITS,
  reserve: ['prepaid_balance_too_low'],
  settle: ['already_refunded'],
  release: [],
  // After a rollback, the seller may owe more than there is.
  refund: [...OF_THE_MINT, 'charge_held', 'nothing_to_refund', 'send_pending', 'insufficient_funds'],
  read: [],
};

/** At once. A customer with many deposits is replaced by a new one. */
const CUSTOMERS = 4;
const MOST_DEPOSITS = 12;
const MOST_DEPOSIT = 120;
const MOST_PRICE = 30;
const HOLD_SECONDS = 300;
const BREATH_MS = 20;
/** The wallet of another mint is closed there if nothing is left in it. */
const NOT_FOUND = ['prepaid_balance_not_found', 'charge_not_found'];
const END_TRIES = 40;
const END_WAIT_MS = 500;
/** What a refund that is worth less than its own fee can cost. */
const MOST_KEPT = 2;

const isRetryable = (code: string): boolean =>
  code === 'mint_refused' || code === 'released' || (isErrorCode(code) && ERRORS[code].retryable);

/** Issues tokens to pay in. */
export const issueDeposits = async (
  mint: TestMintProcess,
  count: number,
  random: () => number,
): Promise<string[]> => {
  const ids = (await mint.keysets()).filter(({ active }) => active).map(({ id }) => id);
  const tokens: string[] = [];
  for (let at = 0; at < count; at++) {
    const amount = 2 + Math.floor(random() * MOST_DEPOSIT);
    tokens.push(await mint.issue(amount, { keysetIds: [ids[at % ids.length] ?? ''], withoutDleq: true }));
  }
  return tokens;
};

/** Creates the {@link PrepaidCustomers} of a run, who pay in the tokens of `stock`. Adds to `problems`. */
export const createPrepaidCustomers = (
  mint: TestMintProcess,
  stock: string[],
  problems: string[],
  random: () => number,
): PrepaidCustomers => {
  const customers: Customer[] = [];
  let isElsewhere = false;
  const answers = new Map<string, number>();

  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];
  const upTo = (most: number) => 1 + Math.floor(random() * most);

  /** The key that the data of a server knows. */
  const keyOf = ({ keys }: Customer, { lives }: Pick<Visit, 'lives'>): string | undefined =>
    keys.findLast(({ life }) => lives.has(life))?.key;

  const call = async (
    { address, lives }: Visit,
    customer: Customer,
    what: keyof typeof EXPECTED & string,
    path: string,
    body: object,
  ): Promise<Reply | undefined> => {
    const reply = await ask(address, { method: 'POST', path, body });
    const code = reply && (reply.status < 300 ? String(reply.status) : String(reply.body.code));
    const name = `prepaid ${what} ${code ?? 'unanswered'}`;
    answers.set(name, (answers.get(name) ?? 0) + 1);
    const expected = [...(EXPECTED[what] ?? []), ...(isElsewhere ? NOT_FOUND : [])];
    if (reply && reply.status >= 300 && !expected.includes(String(code))) {
      const told = `${reply.status} ${JSON.stringify(reply.body)}`;
      problems.push(`${customer.name}: ${what} was answered ${told} (lives ${[...lives].slice(-4)})`);
    }
    return reply;
  };

  const payIn = async (visit: Visit, customer: Customer, deposit: Deposit) => {
    const prepaidKey = keyOf(customer, visit);
    const { text: token } = deposit;
    deposit.isOpen = true;
    deposit.sentTo.add(visit.life);
    const reply = await (prepaidKey === undefined
      ? call(visit, customer, 'open', '/api/prepaid-balances', { token })
      : call(visit, customer, 'top-up', '/api/prepaid-balances/top-up', { prepaidKey, token }));
    if (!reply) return;
    const { life } = visit;
    if (reply.status === 201) {
      customer.keys.push({ key: reply.body.prepaidKey, life });
      deposit.added = { sats: reply.body.balance.available, life };
    } else if (reply.status === 200) {
      deposit.added = { sats: reply.body.added, life };
    }
    const { code } = reply.body;
    deposit.isOpen = reply.status >= 300 && (code === 'invalid_signature' || isRetryable(code));
  };

  const payInMore = async (visit: Visit, customer: Customer) => {
    const open = customer.deposits.find(({ isOpen }) => isOpen);
    if (open) return payIn(visit, customer, open);
    // Only its first token can open a balance again, after the data was put back.
    const [first] = customer.deposits;
    if (first && keyOf(customer, visit) === undefined) return payIn(visit, customer, first);
    const text = stock.pop();
    if (text === undefined) return;
    const deposit: Deposit = { text, sentTo: new Set(), isOpen: true };
    customer.deposits.push(deposit);
    await payIn(visit, customer, deposit);
  };

  /** Whether the data of a server knows what was answered. */
  const isKnown = (answered: { life: number } | undefined, { lives }: Pick<Visit, 'lives'>) =>
    answered !== undefined && lives.has(answered.life);

  const finish = async (visit: Visit, customer: Customer, use: Use) => {
    const { charge, cost } = use;
    if (!charge || !isKnown(charge, visit) || isKnown(use.charged, visit)) return;
    const isRelease = cost === 0;
    const what = isRelease ? 'release' : 'settle';
    const path = `/api/charges/${charge.id}/${what}`;
    const reply = await call(visit, customer, what, path, isRelease ? {} : { amount: cost });
    if (!reply) return;
    if (reply.status === 200 || reply.body.code === 'already_refunded')
      use.charged = { sats: reply.status === 200 && !isRelease ? cost : 0, life: visit.life };
  };

  const buy = async (visit: Visit, customer: Customer) => {
    const prepaidKey = keyOf(customer, visit);
    if (prepaidKey === undefined) return;
    const open = customer.uses.find(({ charge, isRefused }) => !isRefused && !isKnown(charge, visit));
    const amount = upTo(MOST_PRICE);
    const use: Use = open ?? {
      requestHash: createHash('sha256').update(`${customer.name} ${customer.uses.length}`).digest('hex'),
      amount,
      cost: Math.floor(random() * (amount + 1)),
    };
    if (!open) customer.uses.push(use);
    const { requestHash } = use;
    const body = { amount: use.amount, requestHash, prepaidKey, holdSeconds: HOLD_SECONDS };
    const reply = await call(visit, customer, 'reserve', '/api/charges/open-and-pay', body);
    if (reply?.status === 200) use.charge = { id: reply.body.id, life: visit.life };
    if (reply?.body.code === 'prepaid_balance_too_low') use.isRefused = true;
    if (use.charge && random() < 0.8) await finish(visit, customer, use);
  };

  const finishAll = async (visit: Visit, customer: Customer) => {
    for (const use of customer.uses) await finish(visit, customer, use);
  };

  /** Takes back the rest. Returns the answer. */
  const takeBack = async (visit: Visit, customer: Customer): Promise<Reply | undefined> => {
    const prepaidKey = keyOf(customer, visit);
    if (prepaidKey === undefined) return undefined;
    customer.wantsRefund = true;
    const reply = await call(visit, customer, 'refund', '/api/prepaid-balances/refund', { prepaidKey });
    if (reply) customer.wantsRefund = false;
    if (reply?.status !== 200) return reply;
    const { token, fee } = reply.body.refund;
    customer.refunds.push({ token, fee, life: visit.life });
    return reply;
  };

  /** Redeems a refund elsewhere, whole or in part. The mint may be away. */
  const redeem = async ({ refunds }: Customer) => {
    const token = pick(refunds.slice(-3))?.token;
    if (token === undefined) return;
    try {
      const ids = (await mint.keysets()).map(({ id }) => id);
      await mint.spend([random() < 0.7 ? token : partOf(token, ids, 1)]);
    } catch {
      // The customer tries another time.
    }
  };

  const act = async (visit: Visit) => {
    const active = customers.slice(-CUSTOMERS);
    const customer = active.find(({ wantsRefund }) => wantsRefund && random() < 0.5) ?? pick(active);
    if (!customer) return;
    const chance = random();
    if (customer.wantsRefund && chance < 0.7) await takeBack(visit, customer);
    else if (chance < 0.35) {
      if (isElsewhere) await sleep(BREATH_MS);
      else await payInMore(visit, customer);
    } else if (chance < 0.65) await buy(visit, customer);
    else if (chance < 0.75) await finishAll(visit, customer);
    else if (chance < 0.92) {
      if (random() < 0.8) await finishAll(visit, customer);
      await takeBack(visit, customer);
    } else await redeem(customer);
    await sleep(BREATH_MS);
  };

  const addCustomers = () => {
    if (!customers.slice(-CUSTOMERS).every(({ deposits }) => deposits.length >= MOST_DEPOSITS)) return;
    for (let added = 0; added < CUSTOMERS; added++) {
      const name = `customer ${customers.length}`;
      customers.push({ name, keys: [], deposits: [], uses: [], refunds: [], wantsRefund: false });
    }
  };

  /** Whether a server's data knows every answer that a customer got. */
  const knowsAll = (visit: Visit, { keys, deposits, uses, refunds }: Customer): boolean =>
    [
      ...keys,
      ...refunds,
      ...deposits.flatMap(({ added }) => added ?? []),
      ...uses.flatMap(({ charge, charged }) => [charge ?? [], charged ?? []].flat()),
    ].every((answered) => isKnown(answered, visit));

  /** The unspent proofs of tokens: their worth, by secret. */
  const unspentOf = async (tokens: readonly string[]): Promise<Map<string, number>> => {
    const ids = (await mint.keysets()).map(({ id }) => id);
    const worth = new Map<string, number>();
    for (const token of tokens)
      for (const { secret, amount } of getDecodedToken(token, ids).proofs) worth.set(secret, Number(amount));
    const secrets = [...worth.keys()];
    const states = await mint.unspentOf(secrets.map(yOf));
    return new Map(
      secrets.flatMap((secret, at) =>
        states[at] === 'UNSPENT' ? [[secret, worth.get(secret) ?? 0] as const] : [],
      ),
    );
  };

  const sumOf = (amounts: Iterable<number>): number => [...amounts].reduce((sum, sats) => sum + sats, 0);

  /** Retries until an answer isn't about the moment. */
  const persist = async (
    task: () => Promise<Reply | undefined>,
    isMomentary: (code: string) => boolean = isRetryable,
  ) => {
    for (let tries = 1; ; tries++) {
      const reply = await task();
      if (reply && (reply.status < 300 || !isMomentary(reply.body.code))) return reply;
      if (tries >= END_TRIES) return reply;
      await sleep(END_WAIT_MS);
    }
  };

  /** Reports earlier refunds that the last one lacks. */
  const reportLacking = async (
    visit: Visit,
    { name, refunds }: Customer,
    last: { token: string; amount: number } | undefined,
  ) => {
    const known = refunds.filter((refund) => isKnown(refund, visit)).map(({ token }) => token);
    const inLast = await unspentOf(last ? [last.token] : []);
    const worth = sumOf(inLast.values());
    if (last && worth !== last.amount)
      problems.push(`${name} got ${last.amount} sat that are worth ${worth}`);
    const missing = [...(await unspentOf(known))].filter(([secret]) => !inLast.has(secret));
    if (missing.length > 0)
      problems.push(`${name} lacks ${sumOf(missing.map(([, sats]) => sats))} sat of earlier refunds`);
  };

  /** Compares what a customer paid in with what it bought and got back. */
  const reportDifference = async ({ address }: Visit, customer: Customer, prepaidKey: string) => {
    const { name, deposits, uses, refunds } = customer;
    const path = '/api/prepaid-balances/read';
    const reply = await ask(address, { method: 'POST', path, body: { prepaidKey } });
    if (reply?.status !== 200) {
      problems.push(`${name} has no balance any more: ${JSON.stringify(reply?.body)}`);
      return;
    }
    const { spent, available, reserved } = reply.body;
    const bought = sumOf(uses.map(({ charged }) => charged?.sats ?? 0));
    if (spent !== bought) problems.push(`${name} bought for ${bought} sat, and the balance says ${spent}`);
    const ids = (await mint.keysets()).map(({ id }) => id);
    const back = new Map<string, number>();
    for (const { token } of refunds)
      for (const { secret, amount } of getDecodedToken(token, ids).proofs) back.set(secret, Number(amount));
    const paid = sumOf(deposits.map(({ added }) => added?.sats ?? 0));
    const open = paid - spent - available - reserved - sumOf(back.values());
    const fees = sumOf(refunds.map(({ fee }) => fee)) + MOST_KEPT * deposits.length;
    if (open < 0 || open > fees)
      problems.push(
        `${name} paid in ${paid} sat, bought for ${spent}, has ${available} and ${reserved}, and got ${sumOf(back.values())} back`,
      );
  };

  const settleOne = async (visit: Visit, customer: Customer, strangers: ReadonlySet<string>) => {
    const { name, deposits, uses } = customer;
    if (deposits.length === 0) return false;
    for (const deposit of deposits) {
      if (isKnown(deposit.added, visit) && keyOf(customer, visit) !== undefined) continue;
      await persist(async () => {
        await payIn(visit, customer, deposit);
        return deposit.isOpen ? undefined : { status: 200, body: {} };
      });
    }
    const prepaidKey = keyOf(customer, visit);
    if (prepaidKey === undefined) return false;
    for (const use of uses) {
      const { requestHash, amount } = use;
      const body = { amount, requestHash, prepaidKey, holdSeconds: HOLD_SECONDS };
      // The answer may have been lost.
      if (!isKnown(use.charge, visit)) {
        const reply = await call(visit, customer, 'reserve', '/api/charges/open-and-pay', body);
        if (reply?.status === 200) use.charge = { id: reply.body.id, life: visit.life };
      }
      await finish(visit, customer, use);
    }
    const last = await persist(() => takeBack(visit, customer));
    const code = last?.status === 200 ? undefined : last?.body.code;
    if (code === 'insufficient_funds') return false;
    if (code !== undefined && code !== 'nothing_to_refund')
      problems.push(`${name} got no refund in the end: ${JSON.stringify(last?.body)}`);
    await reportLacking(visit, customer, last?.status === 200 ? last.body.refund : undefined);
    if (!knowsAll(visit, customer)) return false;
    await reportDifference(visit, customer, prepaidKey);
    const ids = (await mint.keysets()).map(({ id }) => id);
    for (const { text, sentTo } of deposits.filter(({ added }) => !added)) {
      if (![...sentTo].every((life) => visit.lives.has(life))) continue;
      const isOthers = getDecodedToken(text, ids).proofs.some(({ secret }) => strangers.has(secret));
      const states = await mint.states(text);
      if (!isOthers && states.includes('SPENT'))
        problems.push(`${name} paid in a token and got nothing for it`);
    }
    return true;
  };

  return {
    answers,
    async visit(visit, isAtAnotherMint) {
      isElsewhere = isAtAnotherMint;
      while (visit.isThere()) {
        addCustomers();
        await act(visit);
      }
      isElsewhere = false;
    },
    async settle(visit, strangers) {
      const ids = (await mint.keysets()).map(({ id }) => id);
      const known = new Set(
        strangers.flatMap((token) => getDecodedToken(token, ids).proofs.map(({ secret }) => secret)),
      );
      let exact = 0;
      for (const customer of customers) if (await settleOne(visit, customer, known)) exact += 1;
      return exact;
    },
    tokens: () => [
      ...stock,
      ...customers.flatMap(({ deposits, refunds }) => [
        ...deposits.map(({ text }) => text),
        ...refunds.map(({ token }) => token),
      ]),
    ],
    keys: () => customers.flatMap(({ keys }) => keys.map(({ key }) => key)),
  };
};
