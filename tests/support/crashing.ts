import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Step } from '../../src/server/wallet/operations/decide.ts';
import { type Address, readHistory } from '../torture/ask.ts';
import { addUp } from '../torture/audit.ts';
import { testMint } from './mint/for-test.ts';
import type { KeysetSpec, TestMint } from './mint/test-mint.ts';
import { until } from './raw-http.ts';
import { makeTempDirectory } from './temp.ts';
import { databasePath } from './wallet.ts';
import { auditWallet } from './wallet-audit.ts';
import {
  spawnWaiting,
  type WalletProcess,
  type WalletProcessOptions,
  walletEnvironment,
} from './wallet-process.ts';

/** A server that ends itself at a step of the wallet, and is then started again. */
export interface Crashing {
  mint: TestMint;
  address: Address;
  /** Waits until the server has ended itself. */
  died(): Promise<void>;
  /** Sends SIGKILL to a server that has not ended itself. */
  kill(): Promise<void>;
  /** Starts it again, without a step to end at, and waits until nothing is pending. */
  restart(): Promise<Address>;
  /** Kills the server that was started last. Returns where its books don't add up. */
  audit(): Promise<string[]>;
}

/** Starts a server that ends itself when it reaches a step. Without one, the test kills it. */
export const startCrashing = async (
  killAt: WalletProcessOptions['killAt'],
  keyset: KeysetSpec = {},
  { movesSoon = false } = {},
): Promise<Crashing> => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100, ...keyset }] });
  const directory = await makeTempDirectory();
  await mkdir(join(directory, 'root'));
  const launchOptions = {
    environment: walletEnvironment(mint.url),
    mintTimeoutMs: 5000,
    decisionTimes: { confirmAfterMs: 300, confirmSilentAfterMs: 300 },
  };
  // Proofs are moved off a keyset a minute after the start, and the mint is asked for its keysets then.
  const hurry = { longerThanMs: 30_000, atMostMs: 300 };
  let last: WalletProcess | undefined;
  const start = (more: Partial<WalletProcessOptions>) => {
    const server = spawnWaiting(directory).start({ ...launchOptions, ...more });
    onTestFinished(() => server.kill());
    last = server;
    return server;
  };
  const server = start({ ...(killAt ? { killAt } : {}), ...(movesSoon ? { hurry } : {}) });
  return {
    mint,
    address: await server.listening,
    kill: server.kill,
    died: async () => expect(await server.exited, server.stderr()).toBe('SIGKILL'),
    restart: async () => {
      const address = await start({ hurry }).listening;
      const isDone = async () => (await readHistory(address)).every(({ state }) => state !== 'pending');
      await until(isDone);
      return address;
    },
    async audit() {
      await last?.kill();
      return auditWallet(await databasePath(join(directory, 'data/wallet')));
    },
  };
};

/** A POST request. */
export const post = (path: string, body?: unknown, key?: string) => ({
  method: 'POST' as const,
  path,
  body,
  key,
});

/** What must be true whatever happened: nothing is lost, nothing is there twice. */
export const expectNothingLost = async (address: Address, mint: TestMint, tokens: string[] = []) => {
  const given = tokens.map((text) => ({ text }));
  expect((await addUp(address, mint, await readHistory(address), given)).difference).toBe(0);
};

/** What to do to the mint so that a step is reached, once the server knows the mint's keysets. */
export const CRASHES: Record<string, { step: Step; prepare?(mint: TestMint): void }> = {
  'before the mint was asked': { step: 'operation-written' },
  'after the mint answered': { step: 'swap-answered' },
  'after it was completed': { step: 'operation-completed' },
  'when the states are known, and the swap never reached the mint': {
    step: 'states-known',
    prepare: (mint) => mint.fail('/v1/swap', { kind: 'drop', times: 1 }),
  },
  'when the states are known, and the answer was lost': {
    step: 'states-known',
    prepare: (mint) => mint.fail('/v1/swap', { kind: 'drop', when: 'after', times: 1 }),
  },
  'when the outputs are restored': {
    step: 'outputs-restored',
    prepare: (mint) => mint.fail('/v1/swap', { kind: 'status', when: 'after', times: 1 }),
  },
  'after a rotation, when it was planned anew': {
    step: 'operation-replanned',
    prepare: (mint) => void mint.rotate({ inputFeePpk: 100 }),
  },
};

/** Steps every operation before has reached too. */
export const COMMON_STEPS: readonly Step[] = ['operation-written', 'swap-answered', 'operation-completed'];
/** The first time that a step is reached after this many operations. */
export const killAt = (step: Step, operationsBefore: number) => ({
  step,
  occurrence: COMMON_STEPS.includes(step) ? operationsBefore + 1 : 1,
});
