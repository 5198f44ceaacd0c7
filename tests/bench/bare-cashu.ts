// cashu-ts alone in a process, without any store: what a wallet costs that keeps nothing. Argument: the mint's URL. Each
// message is a job; the answer says what it took.
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { getEncodedToken, hasValidDleq, Wallet } from '@cashu/cashu-ts';

/** What is done with each token. `sell` receives it, and makes a token of the change. */
export type WalletWork = 'receive' | 'validate' | 'sell';

/** What a work costs in `sell`, and what its token is worth, in sat. */
const SOLD_FOR = 60;
const PAID = 100;

/** Tokens to be worked off, so many at a time. */
export interface CashuJob {
  work: WalletWork;
  tokens: string[];
  concurrency: number;
}

/** Proofs to be restored, so many, from the seed in hex (BIP-39). */
export interface RestoreJob {
  work: 'restore';
  seed: string;
  proofs: number;
}

/** What a job took. */
export interface CashuUse {
  elapsedMs: number;
  /** All threads of the process had a core. */
  cpuMs: number;
}

// With a seed its outputs are deterministic, as ours are; it checks what the mint signed, as ours does.
const wallet = new Wallet(process.argv[2] ?? '', {
  unit: 'sat',
  bip39seed: randomBytes(64),
  requireSigDleq: true,
});
const loaded = wallet.loadMint();

const works: Record<WalletWork, (token: string) => Promise<boolean>> = {
  receive: async (token) => (await wallet.receive(token)).length > 0,
  validate: async (token) => {
    const { proofs } = wallet.decodeToken(token);
    // NUT-12 asks for it, receive does it, and ours does it in both.
    const areSigned = proofs.every((proof) =>
      hasValidDleq(proof, wallet.getKeyset(proof.id), { require: false }),
    );
    const states = await wallet.checkProofsStates(proofs);
    return areSigned && states.every(({ state }) => state === 'UNSPENT');
  },
  sell: async (token) => {
    const { send } = await wallet.send(PAID - SOLD_FOR, await wallet.receive(token));
    return getEncodedToken({ mint: process.argv[2] ?? '', unit: 'sat', proofs: send }).length > 0;
  },
};

const workOffTokens = async ({ work, tokens, concurrency }: CashuJob) => {
  const queue = tokens.values();
  const workOff = async () => {
    for (const token of queue) {
      if (!(await works[work](token))) throw new Error(`a token could not be used: ${work}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, workOff));
};

const restore = async ({ seed, proofs: expected }: RestoreJob) => {
  const restored = new Wallet(process.argv[2] ?? '', { unit: 'sat', bip39seed: Buffer.from(seed, 'hex') });
  await restored.loadMint();
  const { proofs } = await restored.batchRestore();
  if (proofs.length !== expected) throw new Error(`restored ${proofs.length} proofs of ${expected}`);
};

process.on('message', async (job: CashuJob | RestoreJob) => {
  await loaded;
  const cpuBefore = process.cpuUsage();
  const begunMs = performance.now();
  await (job.work === 'restore' ? restore(job) : workOffTokens(job));
  const elapsedMs = performance.now() - begunMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  process.send?.({ elapsedMs, cpuMs: (user + system) / 1000 } satisfies CashuUse);
});

process.on('disconnect', () => process.exit(0));
