import { type Derive, hasRightDleq, makeOutput, toProof } from './cashu-outputs.ts';
import { type Curve, createCurveTurns } from './curve.ts';
import type { KeysetCounters, KeysetKeys, Mint, Output, Proof, SignedCounter } from './mint.ts';
import type { BlindSignature, RestoredOutput } from './mint-api.ts';

/** While the mint processes one batch, the next one is in transit. */
const MAX_REQUESTS = 2;

interface ScanDeps {
  curve: Curve;
  withKeys(keysetId: string): Promise<KeysetKeys>;
  deriverOf(mnemonic: string, keysetId: string): Promise<Derive>;
  /** Fetches the mint's signatures for these outputs, in the same order. */
  askRestore(outputs: readonly Output[]): Promise<(RestoredOutput | undefined)[]>;
  /** Returns how many outputs fit in one request. */
  batchSize(): number;
}

interface CountedOutput {
  counter: number;
  output: Output;
}

const countersOf = function* (ranges: readonly KeysetCounters[]) {
  for (const { keysetId, start, count } of ranges) {
    for (let counter = start; counter < start + count; counter++) yield { keysetId, counter };
  }
};

export const createScan = ({ curve, withKeys, deriverOf, askRestore, batchSize }: ScanDeps): Mint['scan'] => {
  /** Returns a signature's proof. Undefined for an invalid one, which must not hide the others. */
  const proofOf = (
    output: Output,
    signature: BlindSignature,
    { id, keys }: KeysetKeys,
  ): Proof | undefined => {
    const key = Object.hasOwn(keys, signature.amount) ? keys[signature.amount] : undefined;
    if (key === undefined || signature.id !== id || !hasRightDleq(curve, output, signature, key))
      return undefined;
    try {
      return toProof(curve, output, signature, key);
    } catch {
      return undefined;
    }
  };

  const findSigned = async (part: readonly CountedOutput[]): Promise<SignedCounter[]> => {
    const restored = await askRestore(part.map(({ output }) => output));
    const turn = createCurveTurns();
    const found: SignedCounter[] = [];
    for (const [at, { counter, output }] of part.entries()) {
      const signature = restored[at]?.signature;
      if (!signature) continue;
      const keysetId = output.blindedMessage.id;
      const proof = proofOf(output, signature, await withKeys(keysetId));
      if (proof) found.push({ keysetId, counter, proof });
      await turn();
    }
    return found;
  };

  return async (mnemonic, ranges) => {
    const found: Promise<SignedCounter[]>[] = [];
    const running = new Set<Promise<unknown>>();
    let hasFailed = false;
    const send = (batch: readonly CountedOutput[]) => {
      const response = findSigned(batch);
      found.push(response);
      const ended: Promise<void> = response.then(
        () => void running.delete(ended),
        () => {
          hasFailed = true;
          running.delete(ended);
        },
      );
      running.add(ended);
    };

    const turn = createCurveTurns();
    let batch: CountedOutput[] = [];
    for (const { keysetId, counter } of countersOf(ranges)) {
      // After a failure, more requests would only add load to a busy mint.
      if (hasFailed) break;
      const derive = await deriverOf(mnemonic, keysetId);
      batch.push({ counter, output: makeOutput(curve, keysetId, 0, derive(counter)) });
      await turn();
      if (batch.length < batchSize()) continue;
      while (running.size >= MAX_REQUESTS) await Promise.race(running);
      if (hasFailed) break;
      send(batch);
      batch = [];
    }
    if (batch.length > 0 && !hasFailed) send(batch);
    await Promise.all(running);
    return (await Promise.all(found)).flat();
  };
};
