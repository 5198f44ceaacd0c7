// Bare node:http with the bodies of our routes: what nothing on this machine can beat. Arguments: the answers file.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answers: Record<string, string> = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const bodies = new Map(Object.entries(answers).map(([address, body]) => [address, Buffer.from(body)]));

const server = createServer((req, res) => {
  const body = bodies.get(req.url ?? '');
  if (!body) {
    res.writeHead(404).end();
    return;
  }
  res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
  res.end(body);
});

server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
