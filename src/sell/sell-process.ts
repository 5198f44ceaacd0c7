// The process of a service: sells the work of one agent at an address of its own. dot-mi starts it with the path of a
// private file (SellConfig), reads reports from its standard output, and ends it.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { SellConfig, SellReport } from '../shared/sale-terms.ts';
import { createShop } from './shop.ts';

const report = (line: SellReport): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const config = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as SellConfig;
const shop = createShop(config, process.env, report);
const server = createServer({ keepAliveTimeout: 5_000, requestTimeout: 60_000 }, shop.handle);
server.maxConnections = 512;

let isEnding = false;
/** Finishes what was paid for, and takes no more. */
const end = async () => {
  if (isEnding) return;
  isEnding = true;
  server.close();
  await shop.close();
  process.exit(0);
};

process.on('SIGTERM', () => void end());
process.on('SIGINT', () => void end());
// dot-mi is gone. Nobody could settle anything, and the port must be free for its next start.
process.on('disconnect', () => process.exit(1));
process.stdout.on('error', () => process.exit(1));

server.on('error', (error: NodeJS.ErrnoException) => {
  report({ kind: 'problem', message: `The service can't listen on port ${config.port} (${error.code}).` });
  process.exit(1);
});
server.listen(config.port, '127.0.0.1', () => {
  report({ kind: 'ready' });
  void shop.recover();
});
