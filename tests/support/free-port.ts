import { isPortFree } from '../../src/server/settings/port-free.ts';

// Below the ports that systems give to outgoing connections: one of those could take a port while its server restarts.
const LOWEST = 20_000;
const HIGHEST = 32_000;
const MAX_TRIES = 100;

/** A free port of this machine, for a server that restarts at the same address. */
export const freePort = async (): Promise<number> => {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isPortFree('127.0.0.1', port)) return port;
  }
  throw new Error(`no free port from ${LOWEST} to ${HIGHEST}`);
};
