import { readFileSync } from 'node:fs';
import { startTestMintProcess } from '../support/mint/test-mint-process.ts';

/** The mint of a run, a process of its own. */
export interface BenchMint {
  url: string;
  /** The keyset it signs with. */
  keysetId: string;
  /** Tokens of 100 sat in 3, 4, 5, 3, … proofs. */
  tokens(count: number, withDleq: boolean): Promise<string[]>;
  /** One token of so many proofs. */
  hugeToken(proofs: number, withDleq: boolean): Promise<string>;
  /** Time that it had a core since it started, in ms; undefined where the system does not tell. */
  cpuMs(): number | undefined;
  close(): Promise<void>;
}

const AMOUNT = 100;
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
  const mint = await startTestMintProcess({ directory });
  const [keyset] = await mint.keysets();
  if (!keyset) throw new Error('the test mint has no keyset');
  return {
    url: mint.url,
    keysetId: keyset.id,
    async tokens(count, withDleq) {
      const tokens: string[] = [];
      while (tokens.length < count) {
        const batch = Array.from({ length: Math.min(AT_A_TIME, count - tokens.length) }, (_, i) => {
          const proofCount = PROOF_COUNTS[(tokens.length + i) % PROOF_COUNTS.length] ?? 3;
          return mint.issue(AMOUNT, { proofCount, withoutDleq: !withDleq });
        });
        tokens.push(...(await Promise.all(batch)));
      }
      return tokens;
    },
    hugeToken: (proofs, withDleq) => mint.issue(2 * proofs, { proofCount: proofs, withoutDleq: !withDleq }),
    cpuMs: () => cpuOf(mint.pid()),
    close: () => mint.close(),
  };
};
