import { setTimeout as sleep } from 'node:timers/promises';
import { type ClaimingMint, startClaimingMint } from '../support/mint/claiming-mint.ts';
import { startTestMintProcess, type TestMintProcess } from '../support/mint/test-mint-process.ts';
import { type Clients, createClients, type Visit } from './clients.ts';
import { type Given, issueTokens } from './tokens.ts';

/** A second mint, which lists keysets of the first one as its own. A server uses it in some lives. */
export interface SecondMint {
  mint: TestMintProcess;
  given: readonly Given[];
  clients: Clients;
  /** Lists these keysets of the first mint from now on, and no others. */
  claim(ids: readonly string[]): void;
  /** Calls a server that uses this mint, while a proxy repeats swaps and the mint is killed. */
  visit(visit: Visit): Promise<void>;
  /** Ends all trouble. */
  calm(): Promise<void>;
  /** What the wallet gave it that is the first mint's. */
  problems(): string[];
  close(): Promise<void>;
}

const FEE_PPK = 100;
const KILLED = 0.4;
const SOON_MS = 600;

/** Starts the {@link SecondMint} of a run. */
export const startSecondMint = async (
  first: TestMintProcess,
  directory: string,
  tokens: number,
  draws: { tokens(): number; clients(): number; random(): number },
): Promise<SecondMint> => {
  const own = await startTestMintProcess({ directory, keysets: [{ inputFeePpk: FEE_PPK }] });
  let claimed = new Set<string>();
  const claiming: ClaimingMint = await startClaimingMint(own, first, { claims: (id) => claimed.has(id) });
  const { url } = claiming;
  const mint: TestMintProcess = {
    ...own,
    url,
    issue: (amount, options) => own.issue(amount, { ...options, mintUrl: url }),
  };
  const given = await issueTokens(mint, tokens, draws.tokens);
  const clients = createClients(mint, given, draws.clients);

  const makeTrouble = async () => {
    await own.fail('/v1/swap', { kind: 'repeat', probability: 0.5 });
    if (draws.random() >= KILLED) return;
    await sleep(draws.random() * SOON_MS);
    await own.kill();
    await own.start();
  };

  return {
    mint,
    given,
    clients,
    claim(ids) {
      claimed = new Set(ids);
    },
    async visit(visit) {
      await Promise.all([makeTrouble(), clients.visit(visit, { atOnce: 2 })]);
    },
    calm: () => own.clearFaults(),
    problems: () => [
      ...(claiming.taken() > 0 ? [`the second mint got ${claiming.taken()} sat of the first one`] : []),
      ...(claiming.outputs() > 0
        ? [`the second mint got ${claiming.outputs()} outputs of the first one's keysets`]
        : []),
    ],
    async close() {
      claiming.close();
      await own.close();
    },
  };
};
