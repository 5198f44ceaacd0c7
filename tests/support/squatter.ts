import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A program at the port where people expect dot-mi. It keeps all that it is sent. Ends with the test. */
export interface Squatter {
  url: string;
  /** Each request line with its headers. */
  seen: string[];
}

/** Starts a {@link Squatter}, which makes proofs up, or passes every request on to the dot-mi at `relayTo`. */
export const startSquatter = async (relayTo?: string): Promise<Squatter> => {
  const seen: string[] = [];
  const server = createServer((req: IncomingMessage, res) => {
    seen.push(JSON.stringify([req.method, req.url, req.headers]));
    if (relayTo === undefined) {
      res.setHeader('Content-Type', 'application/json');
      res.end(
        JSON.stringify({ ok: true, limits: [], exceeded: false, complete: true, proofs: ['0'.repeat(64)] }),
      );
      return;
    }
    const { host, hostname, port } = new URL(relayTo);
    const onward = request(
      { hostname, port, method: req.method, path: req.url, headers: { ...req.headers, host } },
      (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(res);
      },
    );
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
};
