import { createServer, type RequestListener, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Problem } from '../../shared/api/errors.ts';
import { systemCode } from '../platform/app-error.ts';
import { printedHostOf } from './listen-address.ts';

/** Why the server cannot start; `message` is one line for a person. */
export class StartError extends Error {}

/** A {@link StartError} that another port would end. */
export class PortInUseError extends StartError {
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number) {
    super(`Port ${port} is in use by another program; end it, or choose another with PORT.`);
    this.host = host;
    this.port = port;
  }
}

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

/** A server over HTTP/1.1, not yet or no longer listening. */
export interface HttpServer {
  /** Listens on an address and returns its URL, without a slash at the end; 0 takes a free port. */
  listen(host: string, port: number): Promise<string>;
  /** Stops listening and waits for requests under way, at most 4.5 s; then cuts them off. */
  close(): Promise<void>;
}

const startProblem = (error: Error, host: string, port: number): Error => {
  switch (systemCode(error)) {
    case 'EADDRINUSE':
      return new PortInUseError(host, port);
    case 'EACCES':
      return new StartError(`Port ${port} needs rights this user has not; choose one above 1023 with PORT.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(`HOST "${host}" is no address of this machine.`);
    default:
      return error;
  }
};

const urlOf = (host: string, { address, port }: AddressInfo) =>
  `http://${printedHostOf(host, address)}:${port}`;

/** Makes an HTTP server that leaves every decision to `handle`. `listen` throws {@link StartError}. */
export const createHttpServer = (handle: RequestListener): HttpServer => {
  /** Connections without a request so far, as browsers open them ahead; Node does not count them as idle. */
  const unused = new Set<Socket>();
  const handleFirst: RequestListener = (req, res) => {
    unused.delete(req.socket);
    handle(req, res);
  };
  // Without Host a request is refused like one with a wrong Host, in our form.
  const server = createServer({ requireHostHeader: false }, handleFirst);
  // `Expect: 100-continue`: whoever reads the body says when to go on.
  server.on('checkContinue', handleFirst);
  server.on('clientError', refuseBrokenRequest);
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });

  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', (error) => reject(startProblem(error, host, port)));
        server.listen(port, host, () => resolve(urlOf(host, server.address() as AddressInfo)));
      }),

    async close() {
      const cutOff = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      // A connection that was busy is kept alive after its answer; Node would wait for its timeout.
      const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      for (const socket of unused) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(cutOff);
      clearInterval(closeIdle);
    },
  };
};
