// `npm run sell -- AGENT`: sells an agent with the dot-mi that runs, until Ctrl+C.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { knowsKey } from '../resources/starter-root/shared/lib/charges.mjs';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';
import { ConfigError, readConfig } from '../src/server/config.ts';
import {
  SERVICE_PORT,
  type Service,
  type ServiceEstimate,
  type Services,
} from '../src/shared/api/services.ts';

const USAGE = `Sells the work of an agent for ecash, with the dot-mi that runs, until Ctrl+C.

  npm run sell -- AGENT [--margin PERCENT | --price SATS] [--port PORT] [--max-output TOKENS] [--parallel COUNT]
                        [--about TEXT] [--variables NAMES] [--yes-tools] [--api URL] [--token-file FILE]

  --margin PERCENT    what customers pay above the cost of the model (30)
  --price SATS        a flat price for a request, in place of the model's cost and a margin
  --port PORT         where it listens on 127.0.0.1 (the first free one from ${SERVICE_PORT})
  --max-output TOKENS the longest answer (2000)
  --parallel COUNT    how many requests it answers at once (2)
  --about TEXT        a one-sentence description for customers
  --variables NAMES   the environment variables that the agent gets, such as ANTHROPIC_API_KEY,OTHER (none)
  --yes-tools         accept what a stranger could do with the tools of this agent, and what it loads
  --api URL           where dot-mi listens (DOT_MI_URL, or http://127.0.0.1:8000)
  --token-file FILE   the operator token (operator-token in the wallet directory)
${HELP_LINE}

docs/sell.md says what a customer can do, and how the service is reached from elsewhere.`;

/** What a stranger could use. */
interface Risks {
  readonly tools: readonly string[];
  readonly loads: readonly string[];
}

/** Something that the person at the terminal can fix. */
class SellError extends Error {
  /** What the person has to accept first. */
  readonly risks: Risks | undefined;

  constructor(message: string, risks?: Risks) {
    super(message);
    this.risks = risks;
  }
}

const { values, positionals } = readCommandLine(
  USAGE,
  {
    margin: { type: 'string' },
    price: { type: 'string' },
    port: { type: 'string' },
    'max-output': { type: 'string' },
    parallel: { type: 'string' },
    about: { type: 'string' },
    variables: { type: 'string' },
    'yes-tools': { type: 'boolean' },
    api: { type: 'string' },
    'token-file': { type: 'string' },
  },
  { positionals: /^[^-]/ },
);

const say = (line: string) => process.stdout.write(`${line}\n`);

const wholeNumber = (name: 'margin' | 'price' | 'port' | 'max-output' | 'parallel'): number | undefined => {
  const text = values[name];
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new SellError(`--${name} is "${text}", but it must be a whole number.`);
};

const readToken = async (): Promise<string> => {
  const file = values['token-file'] ?? join(readConfig(process.cwd()).walletDirectory, 'operator-token');
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch {
    throw new SellError(
      `The operator token can't be read from ${file}. Run this in the directory where dot-mi runs, or name the file with --token-file.`,
    );
  }
};

/** SECURITY: sends the token only to a program that proves that it knows it. */
const connect = async (apiUrl: string, token: string) => {
  if (!/^https?:/.test(apiUrl) || !URL.canParse(apiUrl))
    throw new SellError(`--api is "${apiUrl}", but it must be an address such as http://127.0.0.1:8000.`);
  const { origin } = new URL(apiUrl);
  const isKnown = await knowsKey(origin, token).catch(() => {
    throw new SellError(
      `No dot-mi answers at ${origin}. Start it with "npm run serve", or name its address with --api.`,
    );
  });
  if (!isKnown)
    throw new SellError(
      `What answers at ${origin} doesn't know this operator token, so it was not sent. Check --api and --token-file.`,
    );

  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${origin}/api${path}`, {
      method,
      redirect: 'error',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    throw new SellError(answer.error, answer.code === 'tools_not_accepted' ? answer : undefined);
  };
};

/** How often it is checked that the service runs. It needs five seconds to start again after it was killed. */
const WATCH_MS = 12_000;

/** What a stranger could do with a tool. */
const DANGERS: Readonly<Record<string, string>> = {
  bash: 'run any program with your rights, and so read your keys and files',
  read: 'read any file that you can read, such as your keys',
  write: 'create and replace files',
  edit: 'change files',
  grep: 'search the files that you can read',
  find: 'see which files you have',
  ls: 'see which files you have',
  extensions: 'use whatever its extensions allow',
  mcp: 'use whatever its MCP servers allow',
};

/** Tells what a stranger could use, and asks for the agent's name. */
const requireAccepted = async (agent: string, { tools, loads }: Risks): Promise<void> => {
  if (tools.length > 0) {
    say(`${agent} has tools. A stranger who buys from it writes its prompt, and could:`);
    for (const tool of tools) say(`  ${tool}: ${DANGERS[tool] ?? 'use it on your computer'}`);
    say('The safe way is an agent without tools: add --no-tools to its pi-args.');
  }
  if (loads.length > 0) {
    say(`${agent} loads these, which run code or send text to another place:`);
    for (const load of loads) say(`  ${load}`);
  }
  if (!process.stdin.isTTY) throw new SellError('Without a terminal, accept that with --yes-tools.');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Sell it anyway? Type its name: ');
  terminal.close();
  if (answer.trim() !== agent) throw new SellError('Nothing was started.');
};

/** Sells the agent. dot-mi says what a stranger could use once it has copied the agent. */
const startSelling = async (
  ask: Awaited<ReturnType<typeof connect>>,
  wanted: { readonly agent: string },
): Promise<Service> => {
  const start = (accepts: readonly string[]) => ask<Service>('POST', '/services', { ...wanted, accepts });
  try {
    return await start([]);
  } catch (error) {
    if (!(error instanceof SellError && error.risks)) throw error;
    if (!values['yes-tools']) await requireAccepted(wanted.agent, error.risks);
    return start([...error.risks.tools, ...error.risks.loads]);
  }
};

const run = async () => {
  const [agent, ...others] = positionals;
  if (agent === undefined || others.length > 0) throw new SellError(`Name one agent.\n\n${USAGE}`);
  const [margin, price] = [wholeNumber('margin'), wholeNumber('price')];
  if (margin !== undefined && price !== undefined) throw new SellError('Use --margin or --price, not both.');
  const wanted = {
    agent,
    ...(margin === undefined ? {} : { marginPercent: margin }),
    ...(price === undefined ? {} : { priceSats: price }),
    port: wholeNumber('port'),
    maxOutputTokens: wholeNumber('max-output'),
    parallel: wholeNumber('parallel'),
    description: values.about,
    variables: values.variables?.split(',').filter((name) => name !== ''),
  };
  const apiUrl = values.api ?? process.env.DOT_MI_URL ?? 'http://127.0.0.1:8000';
  const ask = await connect(apiUrl, await readToken());
  const { sats, usualSats } = await ask<ServiceEstimate>('POST', '/services/preview', wanted);
  const service = await startSelling(ask, wanted);
  say(`${agent} is for sale at ${service.url}`);
  say(
    sats === usualSats
      ? `  A request costs ${sats} sat.`
      : `  A customer pays ${sats} sat in advance for a short prompt, and gets back what the request doesn't use. An answer of 300 model tokens costs about ${usualSats} sat.`,
  );
  say('  Press Ctrl+C to stop.');
  let isStopping = false;
  let problem: string | undefined;
  /** Says when the service closes and opens again, and ends when somebody has stopped it or dot-mi has quit. */
  const watch = async () => {
    const { services } = await ask<Services>('GET', '/services').catch(() => ({ services: [] }));
    const now = services.find((each) => each.agent === agent);
    if (isStopping) return;
    if (!now || now.state === 'stopped') {
      say(`${agent} is no longer for sale.`);
      process.exit(1);
    }
    if (now.problem !== problem)
      say(
        now.problem === undefined ? `${agent} is for sale again.` : `Customers can't buy now. ${now.problem}`,
      );
    problem = now.problem;
  };
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    say('Stopping. What is being answered is finished or refunded.');
    await ask('POST', `/services/${encodeURIComponent(agent)}/stop`, {}).catch((error: Error) =>
      say(error.message),
    );
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop());
  setInterval(() => void watch(), WATCH_MS);
};

try {
  await run();
} catch (error) {
  if (!(error instanceof SellError || error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
