import { ERRORS, isErrorCode } from '../../src/shared/api/errors.ts';
import type { TestMintProcess } from '../support/mint/test-mint-process.ts';
import { type Address, ask, type Reply } from './ask.ts';
import { type Given, partOf } from './tokens.ts';

/** A requested send, and the operations that answers named, each with the life that answered. */
interface AskedSend {
  amount: number;
  key: string | undefined;
  answers: Map<string, number>;
}

/** Promises to clients, for the audit. */
export interface Promises {
  given: readonly Given[];
  /** Tokens from 201 answers, by operation. */
  sent: Map<string, string>;
  /** Operations of reclaims that got 200. */
  reclaimed: Set<string>;
  /** Answers that no situation of the run allows, and promises that contradict each other. */
  problems: string[];
  /** How often each answer arrived. */
  answers: Map<string, number>;
  /** The server lives in which an operation was promised. If absent, every promise counts. */
  answeredIn?: Map<string, Set<number>>;
}

/** A server that clients call. */
export interface Visit {
  address: Address;
  /** The number of its life. */
  life: number;
  /** The lives of its data, including this one. */
  lives: ReadonlySet<number>;
  isThere(): boolean;
}

/** How clients behave. */
export interface Manners {
  /** Clients first hand in tokens that can't be redeemed. */
  badFirst?: boolean;
  /** The operator releases pending operations. */
  releases?: boolean;
  /** The operator rescans for missing sats. */
  rescans?: boolean;
  /** The server lives long, so that the event before has an effect. */
  isLong?: boolean;
  atOnce?: number;
}

/** The clients of the servers. */
export interface Clients {
  promises: Promises;
  /** Tokens that the operator got by releasing operations. */
  released: readonly string[];
  /** Calls a server, several times at once, as long as it runs. */
  visit(visit: Visit, manners?: Manners): Promise<void>;
  /** Adds tokens to be handed in next. */
  add(tokens: readonly Given[]): void;
  /** Hands in again each token that has no final answer. */
  retryAll(visit: Visit): Promise<void>;
  /** Hands in tokens that paid in lives that the data doesn't know. None may pay again. */
  retryForgotten(visit: Visit): Promise<number>;
  /** Rescans for missing sats until that succeeds. */
  rescan(address: Address): Promise<void>;
}

const AT_ONCE = 4;

/** Answers that are allowed while a server, a mint and connections fail and recover. */
const EXPECTED: Record<string, readonly string[]> = {
  receive: [
    'token_spent',
    'token_in_progress',
    'amount_below_fee',
    'mint_refused',
    'mint_error',
    'mint_unreachable',
    'redemption_pending',
    'idempotency_key_in_use',
    // The wallet believes a mint that says so of a good token, with a code of the protocol.
    'invalid_signature',
    'wallet_busy',
    'released',
  ],
  send: [
    'insufficient_funds',
    'amount_below_fee',
    'send_pending',
    'mint_error',
    'mint_refused',
    'mint_unreachable',
    'idempotency_key_in_use',
    // Another copy of the wallet spent its proofs.
    'already_spent',
    'wallet_busy',
    'released',
  ],
  reclaim: [
    'already_spent',
    'not_reclaimable',
    'token_in_progress',
    'token_spent',
    'amount_below_fee',
    'mint_refused',
    'mint_error',
    'mint_unreachable',
    'redemption_pending',
    'send_pending',
    'invalid_signature',
    'wallet_busy',
    'released',
    // The data was put back, or the send belongs to another copy.
    'operation_not_found',
  ],
  release: ['not_releasable', 'operation_not_found'],
  rescan: ['wallet_busy', 'mint_error', 'mint_refused', 'mint_unreachable'],
};

/** Whether to ask again, because the token is free again or another request uses it. */
const isOpenCode = (code: string): boolean =>
  code === 'mint_refused' || code === 'released' || (isErrorCode(code) && ERRORS[code].retryable);

const LONG_MS = 10 * 60_000;
const RETRIES = 10;
const RESCAN_TRIES = 20;
/** The latest sends that are asked for again under their key. */
const MOST_KEYED = 40;
/** The most tokens to hand in again at the end, of those that paid in a forgotten life. */
const MOST_FORGOTTEN = 40;

/** Creates the {@link Clients} of a run. `given` grows with the added tokens. */
export const createClients = (mint: TestMintProcess, given: Given[], random: () => number): Clients => {
  const waiting = [...given];
  const asked: AskedSend[] = [];
  const sends = new Map<string, string>();
  const released: string[] = [];
  let number = 0;
  const answeredIn = new Map<string, Set<number>>();
  const promises: Promises & { answeredIn: typeof answeredIn } = {
    given,
    sent: new Map(),
    reclaimed: new Set(),
    problems: [],
    answers: new Map(),
    answeredIn,
  };

  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)];

  const note = (what: string, reply: Reply | undefined) => {
    const code = reply && (reply.status < 300 ? String(reply.status) : String(reply.body.code));
    const name = `${what} ${code ?? 'unanswered'}`;
    promises.answers.set(name, (promises.answers.get(name) ?? 0) + 1);
    if (reply && reply.status >= 300 && !EXPECTED[what]?.includes(String(code))) {
      promises.problems.push(`${what} was answered ${reply.status} ${JSON.stringify(reply.body)}`);
    }
  };

  const noteLife = (id: string, life: number) => {
    const lives = answeredIn.get(id) ?? new Set();
    answeredIn.set(id, lives.add(life));
  };

  const receive = async ({ address, life }: Visit, token: Given): Promise<Reply | undefined> => {
    token.isOpen = true;
    const { key } = token;
    const reply = await ask(address, {
      method: 'POST',
      path: '/api/wallet/receive',
      body: { token: token.text },
      key,
    });
    note('receive', reply);
    if (!reply) return undefined;
    if (reply.status === 200) {
      token.accepted.set(reply.body.operationId, reply.body.amount);
      noteLife(reply.body.operationId, life);
    }
    // 4xx are kept under their key; the next try is a new request.
    else if (reply.status < 500 && key !== undefined && key === token.key) token.key = `${key}+`;
    const { code } = reply.body;
    const isLie = code === 'invalid_signature' && token.worth === 'good';
    token.isOpen = reply.status !== 200 && (isLie || isOpenCode(code));
    return reply;
  };

  const sendOnce = async ({ address, life, lives }: Visit, send: AskedSend) => {
    const body = { amount: send.amount };
    const reply = await ask(address, { method: 'POST', path: '/api/wallet/send', body, key: send.key });
    note('send', reply);
    if (reply?.status !== 201) return;
    const { operationId, token } = reply.body;
    send.answers.set(operationId, life);
    const inThisTimeline = [...send.answers].filter(([, answered]) => lives.has(answered));
    if (send.key !== undefined && inThisTimeline.length > 1) promises.problems.push(`${send.key} sent twice`);
    promises.sent.set(operationId, token);
    noteLife(operationId, life);
    sends.set(operationId, token);
  };

  const look = async ({ address }: Visit) => {
    const reply = await ask(address, { method: 'GET', path: '/api/wallet/history?limit=50' });
    for (const { id, kind, token, charge } of reply?.body.entries ?? []) {
      // A refund is a customer's.
      if (kind === 'send' && token !== undefined && charge === undefined) sends.set(id, token);
    }
  };

  const reclaim = async (visit: Visit) => {
    const id = pick([...sends.keys()].slice(-20));
    if (id === undefined) return look(visit);
    const reply = await ask(visit.address, { method: 'POST', path: `/api/wallet/operations/${id}/reclaim` });
    note('reclaim', reply);
    if (reply?.status !== 200) return;
    promises.reclaimed.add(reply.body.operationId);
    noteLife(reply.body.operationId, visit.life);
  };

  /** The operator releases a pending operation. */
  const release = async ({ address }: Visit) => {
    const page = await ask(address, { method: 'GET', path: '/api/wallet/history?limit=30' });
    const pending = (page?.body.entries ?? []).filter(({ state }: { state: string }) => state === 'pending');
    const id = pick<{ id: string }>(pending)?.id;
    if (id === undefined) return;
    const reply = await ask(address, { method: 'POST', path: `/api/wallet/operations/${id}/release` });
    note('release', reply);
    if (reply?.status !== 200) return;
    // The client still has a token from outside, and hands it in again.
    if (reply.body.token !== undefined) released.push(reply.body.token);
  };

  const rescanOnce = async (address: Address): Promise<boolean> => {
    const question = { method: 'POST', path: '/api/wallet/rescan', body: {} } as const;
    const reply = await ask(address, question, LONG_MS);
    note('rescan', reply);
    return reply?.status === 200;
  };

  /** Somebody redeems a sent or a released token elsewhere, whole or in part. */
  const redeemElsewhere = async () => {
    const token = pick([...[...sends.values()].slice(-20), ...released.slice(-3)]);
    if (token === undefined) return;
    try {
      const ids = (await mint.keysets()).map(({ id }) => id);
      await mint.spend([random() < 0.6 ? token : partOf(token, ids, 1)]);
    } catch {
      // The mint may be away.
    }
  };

  const nextToken = (badFirst: boolean): Given | undefined => {
    const at = badFirst ? waiting.findIndex(({ worth }) => worth === 'bad') : 0;
    return waiting.splice(Math.max(at, 0), 1)[0];
  };

  const act = async (visit: Visit, { badFirst = false, releases = false }: Manners): Promise<void> => {
    const chance = random();
    if (releases && chance < 0.4) return release(visit);
    if (chance < 0.45) {
      const token = nextToken(badFirst);
      if (!token) return look(visit);
      const times = random() < 0.1 ? 2 : 1;
      await Promise.all(Array.from({ length: times }, () => receive(visit, token)));
    } else if (chance < 0.65) {
      const token = pick(given.filter(({ isOpen }) => isOpen));
      if (token) await receive(visit, token);
    } else if (chance < 0.7) {
      const token = pick(given.filter(({ accepted }) => accepted.size > 0));
      if (token) await receive(visit, token);
    } else if (chance < 0.85) {
      const key = random() < 0.5 ? `send-${number++}` : undefined;
      // Keys are kept for 30 days, which clocks can pass.
      const keyed = asked.filter((send) => send.key !== undefined).slice(-MOST_KEYED);
      const again = random() < 0.3 ? pick(keyed) : undefined;
      const send = again ?? { amount: 1 + Math.floor(random() * 60), key, answers: new Map() };
      if (!again) asked.push(send);
      await sendOnce(visit, send);
    } else if (chance < 0.92) await reclaim(visit);
    else if (chance < 0.96) await redeemElsewhere();
    else if (chance < 0.97) await release(visit);
    else await look(visit);
  };

  return {
    promises,
    released,
    async visit(visit, manners = {}) {
      const call = async () => {
        while (visit.isThere()) await act(visit, manners);
      };
      const calls = Array.from({ length: manners.atOnce ?? AT_ONCE }, call);
      if (manners.rescans) calls.push(rescanOnce(visit.address).then(() => undefined));
      await Promise.all(calls);
    },
    add(tokens) {
      given.push(...tokens);
      waiting.unshift(...tokens);
    },
    async retryAll(visit) {
      const open = given.filter(({ isOpen }) => isOpen);
      const handIn = async () => {
        for (let token = open.pop(); token; token = open.pop()) {
          // The server keeps a refusal under its key. After that, it is a new request.
          const most = token.worth === 'good' ? RETRIES : 1;
          for (let tries = 0; token.isOpen && tries < most; tries++) await receive(visit, token);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, handIn));
    },
    async retryForgotten(visit) {
      const isForgotten = (id: string) =>
        ![...(answeredIn.get(id) ?? [])].some((life) => visit.lives.has(life));
      const forgotten = given
        .filter(({ accepted }) => accepted.size > 0 && [...accepted.keys()].every(isForgotten))
        .slice(-MOST_FORGOTTEN);
      for (const token of forgotten) {
        // A new key, so that the answer depends on what the wallet and the mint know of the token.
        token.key = undefined;
        const reply = await receive(visit, token);
        if (reply?.status === 200 || reply?.body.code === 'token_spent') continue;
        promises.problems.push(
          `${token.name} paid before a rollback, and now: ${JSON.stringify(reply?.body)}`,
        );
      }
      return forgotten.length;
    },
    async rescan(address) {
      for (let tries = 0; tries < RESCAN_TRIES; tries++) if (await rescanOnce(address)) return;
      promises.problems.push('the search for missing sats never succeeded');
    },
  };
};
