import { workerData } from 'node:worker_threads';
import { handleRequests } from '../platform/thread.ts';
import { createWorkTurns } from '../platform/work-turns.ts';
import { loadCurve } from './mint/cashu-curve.ts';
import { createCashuMint } from './mint/cashu-mint.ts';
import { restRequests } from './mint/mint-http.ts';
import { type MintThreadData, runMintCall, type SentMintCall } from './mint/mint-thread.ts';
import { createTestMoneyMint } from './test-money-mint.ts';

/** Entry point of the thread that connects to the mint, so that requests don't wait for its curve calculations. */
const { mintUrl, timeoutMs, keysets, testMoneyMint, ...facts } = workerData as MintThreadData;

const open = async () => {
  const curve = await loadCurve();
  if (curve.kind === 'javascript')
    process.emitWarning(
      'secp256k1.wasm can’t be loaded, so the wallet checks signatures in JavaScript, which is slower',
    );
  const api = testMoneyMint && createTestMoneyMint(testMoneyMint.path, testMoneyMint.secret, curve);
  return createCashuMint(mintUrl, timeoutMs, keysets, curve, { ...facts, api });
};

// This isn't a top-level await, because CommonJS doesn't have one.
const opening = open();

/** Methods that only calculate. Requests to the mint take no time of the thread. */
const CALCULATIONS: ReadonlySet<SentMintCall['method']> = new Set(['describe', 'inspect']);

// SECURITY: anybody can send tokens with hundreds of proofs, and they must not delay the payments of others.
const turns = createWorkTurns();
handleRequests(async (call: SentMintCall, asker) => {
  // At once, because calls can overtake each other below.
  restRequests(call.restMs);
  const mint = await opening;
  return turns.run(CALCULATIONS.has(call.method) ? asker : undefined, () => runMintCall(mint, call));
});
