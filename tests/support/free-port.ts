import { createServer } from 'node:net';

// Below the ports that systems give to outgoing connections: one of those could take a port while its server restarts.
const LOWEST = 20_000;
const HIGHEST = 32_000;
const MAX_TRIES = 100;

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** A free port of this machine, for a server that restarts at the same address. */
export const freePort = async (): Promise<number> => {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await canListen(port)) return port;
  }
  throw new Error(`no free port from ${LOWEST} to ${HIGHEST}`);
};
