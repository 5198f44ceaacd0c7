// A service's process: sells one agent's work at its own address. dot-mi starts it with the path of a private file
// (SellConfig), reads its reports from standard output, and stops the process.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createConnectionLimit } from '../../../shared/connection-limit.ts';
import type { SellConfig, SellReport } from '../../../shared/sale-terms.ts';
import { createShop } from './shop.ts';

const report = (line: SellReport): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const config = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as SellConfig;
// Remove agents' leftovers from an earlier process that was killed.
for (const name of readdirSync(config.temporaryDirectory))
  rmSync(join(config.temporaryDirectory, name), { recursive: true, force: true });
const shop = createShop(config, process.env, report);
// Customers who connect and send nothing must not block others for long.
const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
};
interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}
/** The limit for open connections. At most half of them have requests in progress (`paid-request.mjs`). */
const MAX_CONNECTIONS = 512;
// Strangers prove nothing before they pay, so none of them is trusted.
const connections = createConnectionLimit<Socket, Exchange>({
  most: MAX_CONNECTIONS,
  isBusy: ({ req, res }) => req.complete && !res.writableEnded,
  isTrusted: () => false,
});
const server = createServer(TIMEOUTS, (req, res) => {
  const exchange = { req, res };
  const { socket } = req;
  if (!connections.begin(socket, exchange)) return;
  res.once('prefinish', () => connections.wait(socket, exchange, res.writableLength));
  res.once('close', () => connections.end(socket, exchange));
  void shop.handle(req, res);
});
server.on('connection', connections.open);

/** How long work can still take once the service ends. */
const FINISH_MS = 4_000;

let isEnding = false;
/** Finishes or refunds paid work, and accepts no new work. */
const end = async () => {
  if (isEnding) return;
  isEnding = true;
  server.close();
  // Closing the connections stops the work, as if the customers had left.
  setTimeout(() => server.closeAllConnections(), FINISH_MS);
  await shop.close();
  process.exit(0);
};

/** Electron's replacement for Node's channel in utility processes. */
const { parentPort } = process as { parentPort?: { on(event: 'message', heard: () => void): void } };

// Every message means to end, because dot-mi sends no other.
process.on('message', () => void end());
parentPort?.on('message', () => void end());
process.on('SIGTERM', () => void end());
process.on('SIGINT', () => void end());
// dot-mi is gone, so payments can't be settled, and the port must be free for dot-mi's next start.
process.on('disconnect', () => process.exit(1));
process.stdout.on('error', () => process.exit(1));

server.on('error', (error: NodeJS.ErrnoException) => {
  report({
    kind: 'problem',
    message: `The service can’t listen on port ${config.port} (${error.code}). Choose another port.`,
  });
  process.exit(1);
});
server.listen(config.port, '127.0.0.1', () => {
  report({ kind: 'ready' });
  void shop.recover();
});
