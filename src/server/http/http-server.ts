import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Problem } from '../../shared/api/errors.ts';
import { systemCode } from '../platform/app-error.ts';

/** Why the server cannot start; `message` is one line for a person. */
export class StartError extends Error {}

const CLOSE_GRACE_MS = 4_500;
const IDLE_CHECK_MS = 50;

/** Answers what is not even HTTP in the form of every other error. */
const refuseBrokenRequest = (error: Error, socket: Socket) => {
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const status = systemCode(error) === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const body: Problem = {
    error: 'This is not a request of HTTP/1.1, or its headers are too long.',
    code: 'invalid_request',
  };
  const json = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${json.length}\r\nConnection: close\r\n\r\n${json}`,
  );
};

/** Makes an HTTP server that leaves every decision to `handle`. */
export const createHttpServer = (handle: RequestListener): Server => {
  // Without Host a request is refused like one with a wrong Host, in our form.
  const server = createServer({ requireHostHeader: false }, handle);
  // `Expect: 100-continue`: whoever reads the body says when to go on.
  server.on('checkContinue', handle);
  server.on('clientError', refuseBrokenRequest);
  return server;
};

/** Listens on an address; 0 takes a free port. Throws {@link StartError} when it cannot be had. */
export const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const code = systemCode(error);
      if (code === 'EADDRINUSE') {
        reject(
          new StartError(`Port ${port} is in use by another program; end it, or choose another with PORT.`),
        );
      } else if (code === 'EACCES') {
        reject(
          new StartError(`Port ${port} needs rights this user has not; choose one above 1023 with PORT.`),
        );
      } else if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
        reject(new StartError(`HOST "${host}" is no address of this machine.`));
      } else reject(error);
    });
    server.listen(port, host, resolve);
  });

/** The URL of a server that listens, without a slash at the end. */
export const urlOf = (server: Server): string => {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};

/** Stops listening and waits for requests under way, at most 4.5 s; then cuts them off. */
export const closeHttpServer = async (server: Server): Promise<void> => {
  const cutOff = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  // A connection that was busy is kept alive after its answer; Node would wait for its timeout.
  const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  clearTimeout(cutOff);
  clearInterval(closeIdle);
};
