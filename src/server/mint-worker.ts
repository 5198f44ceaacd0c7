import { workerData } from 'node:worker_threads';
import { answerQuestions } from './platform/thread.ts';
import { createCashuMint } from './wallet/cashu-mint.ts';
import { answerMintCall, type MintCall, type MintThreadData } from './wallet/mint-thread.ts';

/** Entry of the thread that speaks with the mint: blinding and checking take processor time that requests must not wait for. */
const { mintUrl, timeoutMs } = workerData as MintThreadData;
const mint = createCashuMint(mintUrl, timeoutMs);

answerQuestions((call: MintCall) => answerMintCall(mint, call));
