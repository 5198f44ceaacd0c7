// `npm run test-mint`: a mint of fake money to try the wallet with, and tokens from it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';
import { remoteControl } from '../tests/support/mint/remote-control.ts';
import { startTestMint } from '../tests/support/mint/test-mint.ts';

const DEFAULT_PORT = 3338;
const HELP = `A Cashu mint on this computer that issues fake money.

  npm run test-mint -- [--port ${DEFAULT_PORT}] [--directory DIR] [--path /PATH] [--fee PPK]
      Runs the mint until Ctrl+C. Its state is kept in DIR. Without --directory it is deleted at the end.
      --fee is the input fee of a new mint, in thousandths of a sat for each proof.

  npm run test-mint -- token AMOUNT [--memo TEXT] [--version A|B] [--proofs COUNT] [--mint URL]
      Prints a token for AMOUNT sats from the mint at URL, which is http://127.0.0.1:${DEFAULT_PORT} by default.

${HELP_LINE}`;

const OPTIONS = {
  port: { type: 'string' },
  directory: { type: 'string' },
  path: { type: 'string' },
  fee: { type: 'string' },
  memo: { type: 'string' },
  version: { type: 'string' },
  proofs: { type: 'string' },
  mint: { type: 'string' },
} as const;

/** An error that the person at the terminal can fix. */
class UsageError extends Error {}

const wholeNumber = (text: string, name: string, min: number, max: number): number => {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`${name} is "${text}", but it must be a whole number from ${min} to ${max}.`);
};

const read = () => readCommandLine(HELP, OPTIONS, { positionals: /./ });

type Values = ReturnType<typeof read>['values'];

const printToken = async (amountText: string, { memo, version = 'B', proofs, mint }: Values) => {
  const amount = wholeNumber(amountText, 'AMOUNT', 1, 2 ** 31);
  const letter = version.toUpperCase();
  if (letter !== 'A' && letter !== 'B') throw new UsageError('--version must be A or B.');
  const url = (mint ?? `http://127.0.0.1:${DEFAULT_PORT}`).replace(/\/+$/, '');
  if (!/^https?:\/\//.test(url)) throw new UsageError(`--mint is "${url}", but it must be an http address.`);
  const count = proofs === undefined ? {} : { proofCount: wholeNumber(proofs, '--proofs', 1, 10_000) };
  const memoOption = memo === undefined ? {} : { memo };
  try {
    console.log(await remoteControl(() => url).issue(amount, { version: letter, ...memoOption, ...count }));
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError) {
      throw new UsageError(`No test mint answers at ${url}. Start one with: npm run test-mint`);
    }
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

const runMint = async ({ port, directory: kept, path, fee = '0' }: Values) => {
  const inputFeePpk = wholeNumber(fee, '--fee', 0, 1_000_000);
  const portNumber = wholeNumber(port ?? String(DEFAULT_PORT), '--port', 0, 65_535);
  if (path !== undefined && !/^(\/[\w.~-]+)+$/.test(path))
    throw new UsageError('--path must be a URL path, such as /Bitcoin.');
  const directory = kept ? resolve(kept) : mkdtempSync(join(tmpdir(), 'dot-mi-test-mint-'));
  const clean = () => {
    if (!kept) rmSync(directory, { recursive: true, force: true });
  };
  const mint = await startTestMint({
    directory,
    port: portNumber,
    keysets: [{ inputFeePpk }],
    ...(path === undefined ? {} : { path }),
  }).catch((error) => {
    clean();
    throw new UsageError(
      `The test mint could not start: ${error.message}. Try another --port or --directory.`,
    );
  });
  const mintOption = mint.port === DEFAULT_PORT && !path ? '' : ` --mint ${mint.url}`;
  console.log(`test mint   ${mint.url}`);
  console.log(`state       ${directory}${kept ? '' : ' (deleted at the end)'}`);
  console.log(`dot-mi      DEV_MODE=false MINT_URL=${mint.url} WALLET_DB_PATH=data/try npm run serve`);
  console.log(`a token     npm run test-mint -- token 100 --memo "thanks"${mintOption}`);
  console.log('Press Ctrl+C to stop it.');
  const end = async () => {
    await mint.close();
    clean();
    process.exit(0);
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
};

const main = async () => {
  const { values, positionals } = read();
  const [command, amount, ...rest] = positionals;
  if (command === undefined) await runMint(values);
  else if (command === 'token' && amount !== undefined && rest.length === 0) await printToken(amount, values);
  else throw new UsageError(HELP);
};

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
