import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Problem } from '../../shared/api/problem.ts';
import { systemCode } from '../platform/app-error.ts';
import type { Connections } from './connections.ts';
import { printedHostOf } from './listen-address.ts';

/** Thrown if the server can't start. `message` is one line for people. */
export class StartError extends Error {}

/** Thrown if another port would solve the problem. */
export class PortInUseError extends StartError {
  readonly host: string;
  readonly port: number;

  /** `where` names the address if it differs from `host`, such as " at ::1". */
  constructor(host: string, port: number, where = '') {
    super(
      `Port ${port} is in use by another program${where}. Stop that program, or set PORT to another port.`,
    );
    this.host = host;
    this.port = port;
  }
}

const CLOSE_GRACE_MS = 4_500;
const IDLE_CHECK_MS = 50;

/** How long a client can take to send headers, and an entire request. Node's defaults are one and five minutes. */
const TIMEOUTS = {
  headersTimeout: 15_000,
  requestTimeout: 120_000,
  // A client that reuses a connection just as the server ends it loses its request. Connections that wait make room for new
  // ones anyway.
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
};

/** Responses to Node's error codes for malformed requests. */
const BROKEN: Readonly<Record<string, { status: number; sentence: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, sentence: 'The request headers are too long. Shorten them.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, sentence: 'The request took too long to arrive. Send it again.' },
};

/** Responds in the usual error format to data that isn't HTTP. */
const refuseBrokenRequest = (error: Error, socket: Socket) => {
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const { status, sentence } = BROKEN[systemCode(error) ?? ''] ?? {
    status: 400,
    sentence: 'This is not a valid HTTP/1.1 request, or its headers are too long.',
  };
  const body: Problem = { error: sentence, code: 'invalid_request' };
  const json = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${json.length}\r\nConnection: close\r\n\r\n${json}`,
  );
};

/** An HTTP/1.1 server, listening or not. */
export interface HttpServer {
  /** Listens on an address and returns its URL without a trailing slash. Port 0 picks a free port. */
  listen(host: string, port: number): Promise<string>;
  /** Stops listening, waits up to 4.5 s for open requests and then cuts them off. */
  close(): Promise<void>;
}

const startProblem = (error: Error, host: string, port: number): Error => {
  switch (systemCode(error)) {
    case 'EADDRINUSE':
      return new PortInUseError(host, port);
    case 'EACCES':
      return new StartError(`This user is not allowed to use port ${port}. Set PORT to a port above 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(
        `HOST "${host}" is not an address of this computer. Set HOST to one that is, or remove it.`,
      );
    default:
      return error;
  }
};

const urlOf = (host: string, { address, port }: AddressInfo) =>
  `http://${printedHostOf(host, address)}:${port}`;

/**
 * Creates an HTTP server that leaves every decision to its connection handler, which several servers can share.
 * `reportError` gets the listening socket's later errors. `listen` throws {@link StartError}.
 */
export const createHttpServer = (
  connections: Connections,
  reportError: (error: unknown) => void,
): HttpServer => {
  const server = createServer(
    {
      // The guard handles a request without Host, so that the error has our format.
      requireHostHeader: false,
      // Without this, Node creates and ends a stream for a GET's nonexistent body.
      optimizeEmptyRequests: true,
      ...TIMEOUTS,
    },
    connections.handle,
  );
  // For `Expect: 100-continue`, the code that reads the body sends the 100 response.
  server.on('checkContinue', connections.handle);
  server.on('clientError', refuseBrokenRequest);
  connections.watch(server);

  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        const onStartError = (error: Error) => reject(startProblem(error, host, port));
        server.once('error', onStartError);
        server.listen(port, host, () => {
          server.off('error', onStartError);
          // If the system won't let us accept a connection, the process must continue.
          server.on('error', reportError);
          resolve(urlOf(host, server.address() as AddressInfo));
        });
      }),

    async close() {
      const cutOff = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      // A busy connection stays alive after its response, and Node would wait for the connection to time out.
      const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      connections.closeUnused();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      clearTimeout(cutOff);
      clearInterval(closeIdle);
    },
  };
};
