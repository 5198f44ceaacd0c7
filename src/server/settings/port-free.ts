import { createServer } from 'node:net';

/** Whether a server could listen on an address now. Another program may still take it first. */
export const isPortFree = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
