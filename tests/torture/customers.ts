import type { TestMintProcess } from '../support/mint/test-mint-process.ts';
import { type Address, ask, type Reply } from './ask.ts';
import { type Given, partOf } from './tokens.ts';

/** A send that was asked for, and the operation an answer named. */
interface AskedSend {
  amount: number;
  key: string | undefined;
  answers: Map<string, string>;
}

/** What was promised to customers, for the audit. */
export interface Promises {
  given: readonly Given[];
  /** Tokens that a 201 handed out, by operation. */
  sent: Map<string, string>;
  /** Operations of reclaims that were answered 200. */
  reclaimed: Set<string>;
  /** Answers that no situation of the run allows, and promises that contradict each other. */
  problems: string[];
  /** How often each answer came. */
  answers: Map<string, number>;
}

/** Those who call the server. */
export interface Customers {
  promises: Promises;
  /** Calls the server, several at a time, as long as it is there. Bad tokens come first when `badFirst`. */
  visit(address: Address, isThere: () => boolean, badFirst: boolean): Promise<void>;
  /** Hands in each token again that was handed in and not finally answered. */
  insist(address: Address): Promise<void>;
}

const AT_ONCE = 4;

/** Answers that may come while a server, a mint and connections come and go. */
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
  ],
  send: [
    'insufficient_funds',
    'send_pending',
    'mint_error',
    'mint_refused',
    'mint_unreachable',
    'idempotency_key_in_use',
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
  ],
};

/** After these the token is free again, or another is at it: ask again. */
const OPEN_CODES = [
  'token_in_progress',
  'mint_error',
  'mint_refused',
  'mint_unreachable',
  'redemption_pending',
  'idempotency_key_in_use',
];

/** Makes the {@link Customers} of a run. */
export const createCustomers = (
  mint: TestMintProcess,
  given: readonly Given[],
  random: () => number,
): Customers => {
  const waiting = [...given];
  const asked: AskedSend[] = [];
  const sends = new Map<string, string>();
  let number = 0;
  const promises: Promises = {
    given,
    sent: new Map(),
    reclaimed: new Set(),
    problems: [],
    answers: new Map(),
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

  const receive = async (at: Address, token: Given) => {
    token.isOpen = true;
    const { key } = token;
    const reply = await ask(at, {
      method: 'POST',
      path: '/api/wallet/receive',
      body: { token: token.text },
      key,
    });
    note('receive', reply);
    if (!reply) return;
    if (reply.status === 200) token.accepted.set(reply.body.operationId, reply.body.amount);
    // 4xx are kept under their key; the next try is a new request.
    else if (reply.status < 500 && key !== undefined && key === token.key) token.key = `${key}+`;
    token.isOpen = reply.status !== 200 && OPEN_CODES.includes(reply.body.code);
  };

  const sendOnce = async (at: Address, send: AskedSend) => {
    const body = { amount: send.amount };
    const reply = await ask(at, { method: 'POST', path: '/api/wallet/send', body, key: send.key });
    note('send', reply);
    if (reply?.status !== 201) return;
    send.answers.set(reply.body.operationId, reply.body.token);
    if (send.key !== undefined && send.answers.size > 1) promises.problems.push(`${send.key} sent twice`);
    promises.sent.set(reply.body.operationId, reply.body.token);
    sends.set(reply.body.operationId, reply.body.token);
  };

  const look = async (at: Address) => {
    const reply = await ask(at, { method: 'GET', path: '/api/wallet/history?limit=50' });
    for (const { id, kind, token } of reply?.body.entries ?? []) {
      if (kind === 'send' && token !== undefined) sends.set(id, token);
    }
  };

  const reclaim = async (at: Address) => {
    const id = pick([...sends.keys()].slice(-20));
    if (id === undefined) return look(at);
    const reply = await ask(at, { method: 'POST', path: `/api/wallet/operations/${id}/reclaim` });
    note('reclaim', reply);
    if (reply?.status === 200) promises.reclaimed.add(reply.body.operationId);
  };

  /** Somebody redeems a sent token elsewhere, whole or in part. */
  const redeemElsewhere = async () => {
    const token = pick([...sends.values()].slice(-20));
    if (token === undefined) return;
    try {
      const ids = (await mint.keysets()).map(({ id }) => id);
      await mint.spend([random() < 0.6 ? token : partOf(token, ids, 1)]);
    } catch {
      // The mint may be away.
    }
  };

  const nextToken = (badFirst: boolean): Given | undefined => {
    const at = badFirst ? waiting.findIndex(({ isGood }) => !isGood) : 0;
    return waiting.splice(Math.max(at, 0), 1)[0];
  };

  const act = async (at: Address, badFirst: boolean): Promise<void> => {
    const chance = random();
    if (chance < 0.45) {
      const token = nextToken(badFirst);
      if (!token) return look(at);
      const times = random() < 0.1 ? 2 : 1;
      await Promise.all(Array.from({ length: times }, () => receive(at, token)));
    } else if (chance < 0.65) {
      const token = pick(given.filter(({ isOpen }) => isOpen));
      if (token) await receive(at, token);
    } else if (chance < 0.7) {
      const token = pick(given.filter(({ accepted }) => accepted.size > 0));
      if (token) await receive(at, token);
    } else if (chance < 0.85) {
      const key = random() < 0.5 ? `send-${number++}` : undefined;
      const again = random() < 0.3 ? pick(asked.filter((send) => send.key !== undefined)) : undefined;
      const send = again ?? { amount: 1 + Math.floor(random() * 60), key, answers: new Map() };
      if (!again) asked.push(send);
      await sendOnce(at, send);
    } else if (chance < 0.93) await reclaim(at);
    else if (chance < 0.97) await redeemElsewhere();
    else await look(at);
  };

  return {
    promises,
    async visit(address, isThere, badFirst) {
      const come = async () => {
        while (isThere()) await act(address, badFirst);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, come));
    },
    async insist(address) {
      const open = given.filter(({ isOpen }) => isOpen);
      const handIn = async () => {
        for (let token = open.pop(); token; token = open.pop()) {
          // What was refused once is kept under its key; then it is a new request.
          for (let tries = 0; token.isOpen && tries < 10; tries++) await receive(address, token);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, handIn));
    },
  };
};
