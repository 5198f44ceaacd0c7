import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../platform/thread.ts';
import { loadCurve } from '../wallet/mint/cashu-curve.ts';
import { createCashuMint } from '../wallet/mint/cashu-mint.ts';
import { answerMintCall, type MintCall, type MintThreadData } from '../wallet/mint/mint-thread.ts';

/** Entry point of the thread that talks to the mint. Requests must not wait for its curve calculations. */
const { mintUrl, timeoutMs, keysets } = workerData as MintThreadData;
// Not a top-level await, which CommonJS doesn't have.
const opening = loadCurve().then((curve) => createCashuMint(mintUrl, timeoutMs, keysets, curve));

answerQuestions(async (call: MintCall) => answerMintCall(await opening, call));
