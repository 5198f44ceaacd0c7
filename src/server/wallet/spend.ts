import { AppError } from '../platform/app-error.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import { feeOf } from './attempt.ts';
import type { Bind } from './idempotency.ts';
import type { Keysets, Output } from './mint.ts';
import type { Operation } from './operation.ts';
import { splitAmount } from './outputs.ts';
import { type Engine, requireOutputKeyset, runInRequest } from './redeem.ts';
import { type Selection, selectProofs } from './selection.ts';

/** Takes sats out, and moves them off keysets that are about to expire. */
export interface Spender {
  send(amount: number, memo: string | undefined, bind: Bind): Promise<Operation>;
  /** Swaps proofs whose keyset expires within a week. */
  moveExpiring(): Promise<void>;
}

const WEEK_SECONDS = 7 * 24 * 60 * 60;

/** Mints refuse more inputs at once; the rest is moved the next time. */
const MOVED_AT_ONCE = 200;

/** Makes a {@link Spender}. */
export const createSpender = (engine: Engine): Spender => {
  const { store, mint, keptOutputs, clock, onStep, onChange } = engine;
  /** Selecting and holding proofs is one step: two sends must not select the same. */
  const lock = createKeyedLock();

  const write = (
    { proofs, fee, change }: Selection,
    kept: Awaited<ReturnType<typeof keptOutputs>>,
    sent: { amount: number; memo?: string | undefined; outputs: Output[] } | undefined,
    bind: Bind,
  ): Operation => {
    const ys = proofs.map(({ y }) => y);
    const operation = store.transaction(() => {
      const written = store.addOperation({
        kind: sent ? 'send' : 'swap',
        amount: sent?.amount ?? change,
        fee,
        expected: change,
        memo: sent?.memo,
        plan: {
          keysetId: kept.keysetId,
          inputs: store.proofs(ys),
          keep: kept.outputs,
          send: sent?.outputs ?? [],
          counters: kept.counters,
        },
      });
      store.hold(written.number, ys);
      store.advanceCounter(kept.keysetId, kept.nextCounter);
      bind(written);
      return written;
    });
    onStep('operation-written');
    onChange(operation);
    return operation;
  };

  const insufficient = (amount: number) =>
    new AppError(
      'insufficient_funds',
      `The wallet holds ${store.balance()} sat; that does not pay for ${amount} sat and the mint's fee.`,
    );

  const prepare = async (amount: number, memo: string | undefined, bind: Bind): Promise<Operation> => {
    // Told before the mint is asked.
    if (store.balance() < amount) throw insufficient(amount);
    await engine.requireMint();
    const { keysets, outputId } = await requireOutputKeyset(mint);
    const selection = selectProofs(store, keysets, amount);
    if (!selection) throw insufficient(amount);
    // Random: a restore from words must not bring back sats that were handed out.
    const outputs = await mint.randomOutputs(outputId, await splitAmount(mint, outputId, amount));
    const kept = await keptOutputs(outputId, selection.change);
    return write(selection, kept, { amount, memo, outputs }, bind);
  };

  const moveFrom = async (
    keysetId: string,
    keysets: Keysets,
    outputId: string,
  ): Promise<Operation | undefined> => {
    const proofs = store.freeProofs(keysetId, MOVED_AT_ONCE);
    const fee = feeOf(proofs, keysets) ?? 0;
    const change = proofs.reduce((total, proof) => total + proof.amount, 0) - fee;
    if (change <= 0) return undefined;
    return write({ proofs, fee, change }, await keptOutputs(outputId, change), undefined, () => undefined);
  };

  return {
    async send(amount, memo, bind) {
      const operation = await lock.run('proofs', () => prepare(amount, memo, bind));
      return runInRequest(engine, operation);
    },

    async moveExpiring() {
      const keysets = await mint.keysets(true);
      const { outputId } = keysets;
      if (outputId === undefined) return;
      const soon = clock.now() / 1000 + WEEK_SECONDS;
      for (const { id, finalExpiry } of keysets.all) {
        if (finalExpiry === undefined || finalExpiry > soon || id === outputId) continue;
        const operation = await lock.run('proofs', () => moveFrom(id, keysets, outputId));
        if (operation) await runInRequest(engine, operation);
      }
    },
  };
};
