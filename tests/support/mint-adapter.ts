import { expect } from 'vitest';
import { cashuCurve, loadCurve } from '../../src/server/wallet/mint/cashu-curve.ts';
import { createCashuMint } from '../../src/server/wallet/mint/cashu-mint.ts';
import type { Curve } from '../../src/server/wallet/mint/curve.ts';
import {
  type KeysetKeys,
  type Mint,
  MintError,
  type OpenedToken,
  type SwapPlan,
} from '../../src/server/wallet/mint/mint.ts';
import type { TestMint } from './mint/test-mint.ts';

/** Valid words that no wallet of a test generates. */
export const WORDS = `${'abandon '.repeat(11)}about`;

const wasmCurve = await loadCurve();

/** Both curves that the wallet can run on, by name. */
export const CURVES: readonly (readonly [string, Curve])[] = [
  ['WebAssembly', wasmCurve],
  ['JavaScript', cashuCurve],
];

/** Opens the wallet's own client of a mint, in this thread. */
export const openAdapter = (
  mint: { url: string },
  stored: readonly KeysetKeys[] = [],
  curve: Curve = wasmCurve,
): Mint => createCashuMint(mint.url, 2_000, stored, curve);

/** The error of a failing call. Throws when it succeeds, or fails with anything but a {@link MintError}. */
export const failureOf = async (call: Promise<unknown>): Promise<MintError> => {
  const error: unknown = await call.then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof MintError) return error;
  throw error;
};

/** The proofs and the fee of a token that the adapter accepts. */
export const openedBy = async (adapter: Mint, token: string): Promise<OpenedToken> => {
  const inspected = await adapter.inspect(token);
  if ('refusal' in inspected) throw new Error(inspected.refusal);
  return inspected.opened;
};

/** Swaps a new token for outputs of {@link WORDS}, the first with this counter. */
export const swapAt = async (
  mint: TestMint,
  adapter: Mint,
  keysetId: string,
  amounts: number[],
  counter: number,
): Promise<SwapPlan> => {
  const { proofs } = await openedBy(adapter, mint.issue(amounts.reduce((sum, amount) => sum + amount, 0)));
  const keep = await adapter.deterministicOutputs(keysetId, amounts, WORDS, counter);
  const plan = { keysetId, inputs: proofs, keep, send: [] };
  const swapped = await adapter.swap(plan);
  expect(swapped.keep.map(({ amount }) => amount)).toEqual(amounts);
  return plan;
};

/** The keysets that the adapter learned, as the wallet would store them. */
export const learn = async (adapter: Mint): Promise<KeysetKeys[]> => (await adapter.keysets(false)).learned;

/** The first keyset of a mint. */
export const firstId = (mint: TestMint): string => mint.keysets()[0]?.id ?? '';
