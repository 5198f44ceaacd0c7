import { readFileSync } from 'node:fs';
import { loadCurve } from '../../src/server/wallet/mint/cashu-curve.ts';
import { createCashuMint } from '../../src/server/wallet/mint/cashu-mint.ts';
import { bundleServer } from '../support/bundle.ts';
import { startTestMintProcess } from '../support/mint/test-mint-process.ts';

/** The mint of a run, a process of its own. */
export interface BenchMint {
  url: string;
  /** The keyset it signs with. */
  keysetId: string;
  /** Tokens of 100 sat in 3, 4, 5, 3, … proofs, or of so many proofs each. */
  tokens(count: number, withDleq: boolean, proofs?: number): Promise<string[]>;
  /** One token of so many proofs. */
  hugeToken(proofs: number, withDleq: boolean): Promise<string>;
  /** Signs the first counters of these words, so many, for proofs of 2 sat. */
  signCounters(mnemonic: string, count: number): Promise<void>;
  /** Time that it had a core since it started, in ms; undefined where the system does not tell. */
  cpuMs(): number | undefined;
  close(): Promise<void>;
}

const AMOUNT = 100;
/** Sat for each proof of a larger token: it becomes a handful of proofs again. */
const AMOUNT_A_PROOF = 31;
/** As many outputs as the mint signs at once. */
const OUTPUTS_A_SWAP = 1_000;
const PROOF_COUNTS = [3, 4, 5];
const AT_A_TIME = 16;
/** Linux tells CPU time in hundredths of a second. */
const TICK_MS = 10;

const cpuOf = (pid: number | undefined): number | undefined => {
  try {
    // proc(5): after the name in parentheses, which may hold anything, utime and stime are the 12th and 13th.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
};

/** Starts the test mint that keeps its state in `directory`. */
export const startBenchMint = async (directory: string): Promise<BenchMint> => {
  await bundleServer();
  const mint = await startTestMintProcess({ directory });
  const [keyset] = await mint.keysets();
  if (!keyset) throw new Error('the test mint has no keyset');
  return {
    url: mint.url,
    keysetId: keyset.id,
    async tokens(count, withDleq, proofs) {
      const tokens: string[] = [];
      while (tokens.length < count) {
        const batch = Array.from({ length: Math.min(AT_A_TIME, count - tokens.length) }, (_, i) => {
          const proofCount = proofs ?? PROOF_COUNTS[(tokens.length + i) % PROOF_COUNTS.length] ?? 3;
          const amount = proofs === undefined ? AMOUNT : AMOUNT_A_PROOF * proofs;
          return mint.issue(amount, { proofCount, withoutDleq: !withDleq });
        });
        tokens.push(...(await Promise.all(batch)));
      }
      return tokens;
    },
    hugeToken: (proofs, withDleq) => mint.issue(2 * proofs, { proofCount: proofs, withoutDleq: !withDleq }),
    async signCounters(mnemonic, count) {
      const wallet = createCashuMint(mint.url, undefined, [], await loadCurve());
      for (let first = 0; first < count; first += OUTPUTS_A_SWAP) {
        const amounts = Array<number>(Math.min(OUTPUTS_A_SWAP, count - first)).fill(2);
        const token = await wallet.inspect(await mint.issue(2 * amounts.length));
        if (!('opened' in token)) throw new Error(`the token is refused: ${token.refusal}`);
        const keep = await wallet.deterministicOutputs(keyset.id, amounts, mnemonic, first);
        await wallet.swap({ keysetId: keyset.id, inputs: token.opened.proofs, keep, send: [] });
      }
    },
    cpuMs: () => cpuOf(mint.pid()),
    close: () => mint.close(),
  };
};
