import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { TestMint } from './test-mint.ts';

interface Passed {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the mint's answers have many shapes
  body: any;
}

type Answer = (method: string, path: string, body: unknown) => Promise<Passed>;

/** Sends a request on to a mint. */
const passTo = async ({ url }: TestMint, method: string, path: string, body: unknown): Promise<Passed> => {
  const response = await fetch(
    `${url}${path}`,
    method === 'GET' ? {} : { method, body: JSON.stringify(body) },
  );
  return { status: response.status, body: await response.json() };
};

/** Starts a server with these answers. It ends with the test. */
const serveAnswers = async (answer: Answer): Promise<string> => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const { status, body } = await answer(
      request.method ?? '',
      request.url ?? '',
      text === '' ? undefined : JSON.parse(text),
    );
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Another address of a mint, which passes on every request. */
export const otherAddress = async (mint: TestMint): Promise<{ url: string }> => ({
  url: await serveAnswers((method, path, body) => passTo(mint, method, path, body)),
});

/** A keyset as a mint lists it, with its keys. */
interface Listed {
  id: string;
  active: boolean;
}

interface Item {
  id: string;
}

/** A mint that takes another mint's keysets for its own. */
export interface HostileMint {
  url: string;
  /** How many outputs of the victim's keysets the wallet asked it about or sent it. */
  outputs(): number;
  /** The sats of the victim that the wallet sent it. */
  taken(): number;
}

interface Claim {
  /** How it lists the victim's keysets. Default: as inactive ones of its own. */
  list?: (keyset: Listed) => Listed;
}

/**
 * A mint of its own that also lists a victim's keysets, and passes requests about them on to the victim. It keeps the
 * proofs of those that the wallet swaps.
 */
export const hostileMint = async (
  own: TestMint,
  victim: TestMint,
  { list = (keyset) => ({ ...keyset, active: false }) }: Claim = {},
): Promise<HostileMint> => {
  const ownIds = new Set(own.keysets().map(({ id }) => id));
  let outputs = 0;
  let taken = 0;
  const isForeign = ({ id }: Item) => !ownIds.has(id);
  /** Merges two mints' lists of the same name. */
  const both = async (path: string, change: (keyset: Listed) => Listed) => {
    const [ours, theirs] = await Promise.all(
      [own, victim].map((mint) => passTo(mint, 'GET', path, undefined)),
    );
    return {
      status: 200,
      body: { keysets: [...(theirs?.body.keysets ?? []).map(change), ...(ours?.body.keysets ?? [])] },
    };
  };

  const answer: Answer = async (method, path, body) => {
    if (path === '/v1/keysets') return both(path, list);
    if (path === '/v1/keys') return both(path, (keyset) => keyset);
    const id = /^\/v1\/keys\/(.+)$/.exec(path)?.[1];
    if (id !== undefined) return passTo(ownIds.has(id) ? own : victim, method, path, body);
    const request = body as { inputs?: (Item & { amount: number })[]; outputs?: Item[]; Ys?: string[] };
    const foreign = request?.outputs?.filter(isForeign) ?? [];
    outputs += foreign.length;
    if (path === '/v1/restore') {
      const rest = request.outputs?.filter((output) => !isForeign(output)) ?? [];
      const [theirs, ours] = await Promise.all([
        passTo(victim, method, path, { outputs: foreign }),
        passTo(own, method, path, { outputs: rest }),
      ]);
      return {
        status: 200,
        body: {
          outputs: [...theirs.body.outputs, ...ours.body.outputs],
          signatures: [...theirs.body.signatures, ...ours.body.signatures],
        },
      };
    }
    const stolen = request?.inputs?.filter(isForeign) ?? [];
    if (stolen.length > 0) {
      taken += stolen.reduce((sum, { amount }) => sum + amount, 0);
      return { status: 400, body: { code: 0, detail: 'thank you' } };
    }
    return passTo(own, method, path, body);
  };

  return { url: await serveAnswers(answer), outputs: () => outputs, taken: () => taken };
};
