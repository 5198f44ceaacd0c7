import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Passed {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the mint's answers have many shapes
  body: any;
}

/** Answers a request of the mint's API. */
export type PassingAnswer = (method: string, path: string, body: unknown) => Promise<Passed>;

/** A server with answers of its own. */
export interface PassingServer {
  url: string;
  close(): void;
}

/** Sends a request on to a mint. */
export const passTo = async (
  { url }: { url: string },
  method: string,
  path: string,
  body: unknown,
): Promise<Passed> => {
  const response = await fetch(
    `${url}${path}`,
    method === 'GET' ? {} : { method, body: JSON.stringify(body) },
  );
  return { status: response.status, body: await response.json() };
};

/** Starts a server with these answers. One that fails is a proxy's 502. */
export const serveAnswers = async (answer: PassingAnswer): Promise<PassingServer> => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const { status, body } = await answer(
      request.method ?? '',
      request.url ?? '',
      text === '' ? undefined : JSON.parse(text),
    ).catch((error: unknown) => ({ status: 502, body: { detail: String(error) } }));
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** A keyset as a mint lists it, with its keys. */
interface Listed {
  id: string;
  active: boolean;
}

interface Item {
  id: string;
}

/** How a mint takes another one's keysets for its own. */
export interface Claim {
  /** How it lists the victim's keysets. Default: as inactive ones of its own. */
  list?: (keyset: Listed) => Listed;
  /** Which of them it lists. Default: all. */
  claims?: (id: string) => boolean;
}

/** A mint that takes another mint's keysets for its own. */
export interface ClaimingMint extends PassingServer {
  /** How many outputs of the victim's keysets the wallet asked it about or sent it. */
  outputs(): number;
  /** The sats of the victim that the wallet sent it. */
  taken(): number;
}

/**
 * Starts a mint that also lists a victim's keysets, and passes requests about them on to the victim. It keeps the proofs
 * of those that the wallet swaps. While the victim is away, it lists what it knew.
 */
export const startClaimingMint = async (
  own: { url: string; keysets(): Item[] | Promise<Item[]> },
  victim: { url: string },
  { list = (keyset) => ({ ...keyset, active: false }), claims = () => true }: Claim = {},
): Promise<ClaimingMint> => {
  const ownIds = new Set((await own.keysets()).map(({ id }) => id));
  const known = new Map<string, Passed>();
  let outputs = 0;
  let taken = 0;
  const isForeign = ({ id }: Item) => !ownIds.has(id);

  const fromVictim = async (path: string): Promise<Passed | undefined> => {
    const passed = await passTo(victim, 'GET', path, undefined).catch(() => undefined);
    if (passed?.status === 200) known.set(path, passed);
    return known.get(path);
  };

  /** Merges two mints' lists of the same name. */
  const both = async (path: string, change: (keyset: Listed) => Listed) => {
    const [ours, theirs] = await Promise.all([passTo(own, 'GET', path, undefined), fromVictim(path)]);
    if (ours.status !== 200) return ours;
    const claimed: Listed[] = (theirs?.body.keysets ?? []).filter(({ id }: Listed) => claims(id));
    return { status: 200, body: { keysets: [...claimed.map(change), ...ours.body.keysets] } };
  };

  const answer: PassingAnswer = async (method, path, body) => {
    if (path === '/v1/keysets') return both(path, list);
    if (path === '/v1/keys') return both(path, (keyset) => keyset);
    const id = /^\/v1\/keys\/(.+)$/.exec(path)?.[1];
    if (id !== undefined)
      return ownIds.has(id)
        ? passTo(own, method, path, body)
        : ((await fromVictim(path)) ?? { status: 502, body: { detail: 'away' } });
    const request = body as { inputs?: (Item & { amount: number })[]; outputs?: Item[]; Ys?: string[] };
    const foreign = request?.outputs?.filter(isForeign) ?? [];
    outputs += foreign.length;
    if (path === '/v1/restore') {
      const rest = request.outputs?.filter((output) => !isForeign(output)) ?? [];
      const ours = await passTo(own, method, path, { outputs: rest });
      if (ours.status !== 200 || foreign.length === 0) return ours;
      const theirs = await passTo(victim, method, path, { outputs: foreign });
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

  return { ...(await serveAnswers(answer)), outputs: () => outputs, taken: () => taken };
};
