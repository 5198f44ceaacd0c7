import { createServer } from 'node:net';
import { LOOPBACK_HOSTS } from '../../shared/page-host.ts';
import { systemCode } from '../platform/app-error.ts';

/** Returns the error code that a server listening there would get. Undefined if it could listen. */
const problemAt = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(systemCode(error) ?? 'unknown'));
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });

/** Returns whether a server could listen on an address now. Another program may still take the port first. */
export const isPortFree = async (host: string, port: number): Promise<boolean> => {
  if ((await problemAt(host, port)) !== undefined) return false;
  return !LOOPBACK_HOSTS.includes(host) || (await problemAt('::1', port)) !== 'EADDRINUSE';
};
