import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { getDecodedToken } from '@cashu/cashu-ts';
import type { TestMintProcess } from '../support/mint/test-mint-process.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { type WalletProcessOptions, walletEnvironment } from '../support/wallet-process.ts';
import { type Address, type Entry, must, readHistory } from './ask.ts';
import {
  addUp,
  addUpUnseen,
  distinctTokens,
  findContradictions,
  findForgotten,
  findLost,
  findUnbacked,
  type Sums,
  takeAllOut,
} from './audit.ts';
import type { Clients, Visit } from './clients.ts';
import { type DataDirectory, walletOf } from './directories.ts';
import { auditDirectory, holdingsOf, isDatabase, readWallet, type WalletContent } from './leftovers.ts';
import type { PrepaidCustomers } from './prepaid.ts';
import type { SecondMint } from './second-mint.ts';
import type { Given } from './tokens.ts';

/** The parts that the end of a run needs. */
export interface SettlementParts {
  mint: TestMintProcess;
  main: DataDirectory;
  given: readonly Given[];
  /** What only removed data held, of the first mint and of the second one. */
  removed: WalletContent;
  removedOfSecond: WalletContent;
  clients: Clients;
  prepaid: PrepaidCustomers;
  secondMint: SecondMint;
  /** The clocks of the mint and of servers that start later. */
  clocks: { jump(ms: number): Promise<void>; aheadMs(): number };
  progress(line: string): void;
  /** Starts a server on the main directory. It uses the first mint, unless the options have another environment. */
  start(launchOptions: Partial<WalletProcessOptions>): Promise<{ visit: Visit; stop(): Promise<void> }>;
}

/** The outcome of a run. */
export interface Settlement {
  operations: Record<string, number>;
  sums: Sums;
  sumsAfterTakingOut: Sums;
  unseen: number;
  foundByRescan: number;
  retriedForgotten: number;
  exactCustomers: number;
  secondBalance: number;
  left: number;
}

const SETTLED_WITHIN_MS = PATIENCE_MS;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const ADDED_UP_TRIES = 5;
/** By then, a hurried server has maintained its keysets once. */
const MAINTAINED_AFTER_MS = 6_000;
/** Shorter than {@link DAILY_HURRY_MS}, or a hurried server is hardly ever quiet. */
const QUIET_MS = 2_000;
/** How soon a hurried server does what is due within a day. */
const DAILY_HURRY_MS = 3_000;
/** A larger amount in a wallet always pays its own fee. */
const MOST_DUST = 5;

const countBy = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of [...names].sort()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** Waits until a condition holds, or gives up. */
const waitFor = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
  const giveUpAt = performance.now() + SETTLED_WITHIN_MS;
  while (performance.now() < giveUpAt) {
    if (await holds()) return;
    await sleep(200);
  }
};

/** Waits until nothing is pending. */
const settle = async (address: Address): Promise<Entry[]> => {
  let history: Entry[] = [];
  await waitFor(async () => {
    const { pending } = await must(address, { method: 'GET', path: '/api/wallet/balance' });
    history = await readHistory(address);
    return pending === 0 && history.every(({ state }) => state !== 'pending');
  });
  return history;
};

/** Waits until the mint has had no request for {@link QUIET_MS}: the wallet's searches in the background have ended. */
const untilQuiet = async (mint: SettlementParts['mint']): Promise<void> => {
  let [before, sinceMs] = [-1, performance.now()];
  await waitFor(async () => {
    const count = await mint.requestCount();
    if (count !== before) [before, sinceMs] = [count, performance.now()];
    return performance.now() - sinceMs >= QUIET_MS;
  });
};

/** Reads a copy of a wallet while a quiet server uses it. */
const readCopy = <T>(main: DataDirectory, read: (directory: string) => T): T => {
  const copy = mkdtempSync(join(tmpdir(), 'dot-mi-torture-copy-'));
  try {
    cpSync(walletOf(main), copy, { recursive: true });
    return read(copy);
  } finally {
    rmSync(copy, { recursive: true });
  }
};

/**
 * The number of open questions at a mint: failed operations to recheck by a time, or later than any can be due, keysets
 * that another copy used, proofs.
 */
const openQuestions = (directory: string, mintUrl: string, beforeMs: number): number => {
  let open = 0;
  for (const name of readdirSync(directory).filter(isDatabase)) {
    const database = new DatabaseSync(join(directory, name));
    const count = (table: string, condition: string, ...values: number[]) => {
      const sql = `SELECT count(*) AS n FROM ${table} WHERE mint = (SELECT id FROM mints WHERE url = ?) AND (${condition})`;
      return Number(database.prepare(sql).get(mintUrl, ...values)?.n);
    };
    open += count('operations', 'recheck_at <= ? OR recheck_at > ?', beforeMs, beforeMs + DAY_MS);
    open += count('signed_elsewhere', 'seen_at <= ? OR seen_at > ?', beforeMs, beforeMs + DAY_MS);
    open += count('proofs', "state = 'unconfirmed'");
    database.close();
  }
  return open;
};

/** The secrets of all that a wallet holds and of the tokens in its history. */
const knownSecrets = (
  main: DataDirectory,
  mintUrl: string,
  history: readonly Entry[],
  keysetIds: string[],
): Set<string> => {
  const known = new Set(readCopy(main, (copy) => readWallet(copy, mintUrl)).held.map(({ secret }) => secret));
  for (const { token } of history) {
    if (token === undefined) continue;
    for (const { secret } of getDecodedToken(token, keysetIds).proofs) known.add(secret);
  }
  return known;
};

/** The sats on these keysets that the wallet recovered and still holds. */
const recoveredOn = (directory: string, keysetIds: readonly string[]): number => {
  let sats = 0;
  for (const name of readdirSync(directory).filter(isDatabase)) {
    const database = new DatabaseSync(join(directory, name));
    const rows = database
      .prepare(
        "SELECT keyset_id AS id, sum(proofs.amount) AS sats FROM proofs JOIN operations ON number = operation WHERE kind = 'recovered' GROUP BY 1",
      )
      .all();
    for (const { id, sats: more } of rows) if (keysetIds.includes(String(id))) sats += Number(more);
    database.close();
  }
  return sats;
};

/**
 * Adds up at the second mint, where `balance` must be what the wallet has at the first one. Returns the balance at the
 * second.
 */
const settleSecond = async ({
  mint,
  main,
  secondMint,
  removedOfSecond,
  clocks,
  problems,
  start,
  balance,
}: Pick<SettlementParts, 'mint' | 'main' | 'secondMint' | 'removedOfSecond' | 'clocks' | 'start'> & {
  problems: string[];
  balance: number;
}): Promise<number> => {
  const { mint: second, clients, given } = secondMint;
  const mine: string[] = [];
  secondMint.claim((await mint.keysets()).map(({ id }) => id));
  await secondMint.calm();
  const server = await start({
    environment: walletEnvironment(second.url),
    decisionTimes: { confirmSilentAfterMs: 2_000 },
    hurry: { longerThanMs: 20_000, atMostMs: DAILY_HURRY_MS },
  });
  const { address } = server.visit;
  await clients.retryAll(server.visit);
  await clients.rescan(address);
  const now = Date.now() + clocks.aheadMs();
  await waitFor(() => readCopy(main, (copy) => openQuestions(copy, second.url, now)) === 0);
  await untilQuiet(second);
  const history = await settle(address);
  const { promises } = clients;
  const keysetIds = (await second.keysets()).map(({ id }) => id);
  const known = knownSecrets(main, second.url, history, keysetIds);
  const elsewhere = [
    ...given.map(({ text }) => text),
    ...promises.sent.values(),
    ...removedOfSecond.tokens,
    ...clients.released,
  ];
  const others = distinctTokens(elsewhere, keysetIds, known);
  const sums = await addUp(
    address,
    second,
    history,
    others.map((text) => ({ text })),
  );
  const difference = sums.difference - (await addUpUnseen(second, removedOfSecond.sendOutputs, known));
  if (difference !== 0) mine.push(`difference: ${difference} sat`);
  const holdings = readCopy(main, (copy) => holdingsOf(copy, second.url));
  mine.push(...(await findUnbacked(second, holdings, sums)));
  const total = sums.balance + sums.expired + sums.unconfirmed;
  mine.push(...findContradictions(history, total, promises, main.lives), ...promises.problems);
  const { otherMints = [] } = await must(address, { method: 'GET', path: '/api/wallet/balance' });
  const atFirst = otherMints.find((other: { mint: string }) => other.mint === mint.url)?.balance ?? 0;
  // dot-mi keeps trying to pay customers what it owes them at the first mint, which moves sats meanwhile.
  const { free } = readCopy(main, (copy) => holdingsOf(copy, mint.url));
  if (atFirst !== balance && atFirst !== free)
    mine.push(`the wallet says ${atFirst} sat are at the first mint, where it has ${balance}`);
  await server.stop();
  problems.push(...secondMint.problems(), ...mine.map((problem) => `at the second mint: ${problem}`));
  return sums.balance;
};

/** Lets everything end in calm, retries requests without a final answer, and adds up. */
export const settleAndAddUp = async ({
  mint,
  main,
  given,
  removed,
  removedOfSecond,
  clients,
  prepaid,
  secondMint,
  clocks,
  progress,
  start,
}: SettlementParts): Promise<Settlement> => {
  const { promises } = clients;
  const { problems } = promises;
  /** Waits until nothing is pending. The books must then add up, as they must after each kill. */
  const settleAndAudit = async (address: Address): Promise<Entry[]> => {
    const history = await settle(address);
    problems.push(...readCopy(main, auditDirectory));
    return history;
  };

  // An operation that has only a part of its signatures ends after an hour.
  await clocks.jump(2 * HOUR_MS);
  const first = await start({
    decisionTimes: { confirmSilentAfterMs: 2_000 },
    hurry: { longerThanMs: 20_000, atMostMs: 5_000 },
  });
  progress('waiting until all has ended');
  await settleAndAudit(first.visit.address);
  progress('settled; asking again');
  // Clients ask again where they got no answer. Each token must then have paid, or be free.
  await clients.retryAll(first.visit);
  await settleAndAudit(first.visit.address);
  for (const { name, isOpen, worth } of given) {
    if (isOpen && worth === 'good') problems.push(`${name} has no final answer`);
  }
  await first.stop();

  // The wallet rechecks failures without a clear answer of the mint. Other copies have been quiet for long. What the first
  // day's start finds is searched again on the second.
  for (const day of ['a day later', 'another day later']) {
    const before = Date.now() + clocks.aheadMs() + DAY_MS / 2;
    await clocks.jump(DAY_MS);
    const quiet = await start({
      decisionTimes: { confirmSilentAfterMs: 2_000 },
      hurry: { longerThanMs: 20_000, atMostMs: DAILY_HURRY_MS },
    });
    progress(`${day}: waiting until the wallet knows all`);
    await sleep(MAINTAINED_AFTER_MS);
    await waitFor(() => readCopy(main, (copy) => openQuestions(copy, mint.url, before)) === 0);
    await untilQuiet(mint);
    await settleAndAudit(quiet.visit.address);
    await quiet.stop();
  }

  // Not hurried: nothing happens in the background for a minute.
  const last = await start({ decisionTimes: { confirmSilentAfterMs: 2_000 } });
  const { address } = last.visit;
  progress('searching for missing sats');
  const recoveredIn = (entries: readonly Entry[]) =>
    entries.reduce((sum, { kind, amount }) => sum + (kind === 'recovered' ? amount : 0), 0);
  const activeIds = (await mint.keysets()).filter(({ active }) => active).map(({ id }) => id);
  // Each start searches the active keysets. On a busy computer, that begins late and takes a while.
  await sleep(MAINTAINED_AFTER_MS);
  await untilQuiet(mint);
  const activeBefore = readCopy(main, (copy) => recoveredOn(copy, activeIds));
  const recoveredBefore = recoveredIn(await settleAndAudit(address));
  await clients.rescan(address);
  const foundByRescan = recoveredIn(await settleAndAudit(address)) - recoveredBefore;
  // After a rollback or a false answer, each start finds the sats on active keysets. Those on others wait for maintenance,
  // which rests for a minute after many requests.
  const found = readCopy(main, (copy) => recoveredOn(copy, activeIds)) - activeBefore;
  if (found > 0) problems.push(`only a rescan found ${found} sat on active keysets`);
  const retriedForgotten = await clients.retryForgotten(last.visit);
  progress('giving customers their rest');
  const exactCustomers = await prepaid.settle(last.visit, clients.released);

  const keysetIds = (await mint.keysets()).map(({ id }) => id);
  /** Adds up while the wallet is idle: background work in between would look like a difference. */
  const addUpAll = async () => {
    for (let tries = 1; ; tries++) {
      const history = await settleAndAudit(address);
      const known = knownSecrets(main, mint.url, history, keysetIds);
      const elsewhere = [
        ...given.map(({ text }) => text),
        ...promises.sent.values(),
        ...removed.tokens,
        ...prepaid.tokens(),
      ];
      const others = distinctTokens([...elsewhere, ...clients.released], keysetIds, known);
      const sums = await addUp(
        address,
        mint,
        history,
        others.map((text) => ({ text })),
      );
      const unseen = await addUpUnseen(mint, removed.sendOutputs, known);
      sums.difference -= unseen;
      const after = await settleAndAudit(address);
      const isSame = after.length === history.length;
      if (!isSame && tries < ADDED_UP_TRIES) continue;
      const holdings = readCopy(main, (copy) => holdingsOf(copy, mint.url));
      problems.push(...(await findUnbacked(mint, holdings, sums)));
      return { sums, unseen, history, known };
    }
  };

  progress('adding up');
  const { sums, unseen, history, known } = await addUpAll();
  problems.push(
    ...findContradictions(history, sums.balance + sums.expired + sums.unconfirmed, promises, main.lives),
  );
  if (sums.difference !== 0) {
    problems.push(`difference: ${sums.difference} sat`, ...(await findForgotten(mint, removed.held, known)));
    const random = await addUpUnseen(mint, removed.randomOutputs, known);
    problems.push(`${random} sat on random outputs of receives that only removed data had`);
    problems.push(...(await findLost(mint, history, promises)));
  }
  progress(`difference ${sums.difference}; taking all out`);
  const { left, problems: unpaid } = await takeAllOut(address);
  problems.push(...unpaid);
  if (left >= MOST_DUST) problems.push(`${left} sat cannot be taken out`);
  const { sums: sumsAfterTakingOut } = await addUpAll();
  if (sumsAfterTakingOut.difference !== sums.difference) {
    problems.push(`difference after taking out: ${sumsAfterTakingOut.difference} sat`);
  }
  await last.stop();
  progress('adding up at the second mint');
  const secondBalance = await settleSecond({
    mint,
    main,
    secondMint,
    removedOfSecond,
    clocks,
    problems,
    start,
    balance: sumsAfterTakingOut.balance,
  });
  return {
    operations: countBy(history.map(({ kind, state }) => `${kind} ${state}`)),
    sums,
    sumsAfterTakingOut,
    unseen,
    foundByRescan,
    retriedForgotten,
    exactCustomers,
    secondBalance,
    left,
  };
};
