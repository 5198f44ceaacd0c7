// A process that grabs all it can of a server: `node connection-hog.ts <url> <count> <kind>`.
// Once it has tried all connections, it keeps printing how many are open and how they were answered.
import { connect, type Socket } from 'node:net';

/** The text that the hog sends on each connection before it falls silent. */
const KINDS: Readonly<Record<string, (host: string) => string>> = {
  silent: () => '',
  'half a head': (host) => `GET /api/agents HTTP/1.1\r\nHost: ${host}\r\nX-Rest: `,
  'half a body': (host) =>
    `POST /api/agents HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":`,
  'answered once': (host) => `GET /api/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  stream: (host) => `GET /api/events HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  unread: (host) => `GET /api/agents/scout/file?path=AGENT.md HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(20),
};

const [address = '', counts = '', kind = ''] = process.argv.slice(2);
const { hostname, port, host } = new URL(address);
const text = KINDS[kind]?.(host) ?? '';
let open = 0;
let streams = 0;
let refusals = 0;

const take = (): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => {
      open++;
      socket.write(text);
      // The answers must fill the system's buffers.
      if (kind === 'unread') socket.pause();
      else
        socket.on('data', (chunk) => {
          if (String(chunk).startsWith('HTTP/1.1 200') && kind === 'stream') streams++;
          if (String(chunk).startsWith('HTTP/1.1 503')) refusals++;
        });
      resolve(socket);
    });
    socket.on('error', () => resolve(socket));
    socket.once('close', () => {
      open--;
    });
  });

for (let left = Number(counts); left > 0; left -= 50)
  await Promise.all(Array.from({ length: Math.min(left, 50) }, take));
setInterval(() => process.stdout.write(`${JSON.stringify({ open, streams, refusals })}\n`), 100);
