import { connect } from 'node:net';
import { PATIENCE_MS } from './patience.ts';

/** A raw answer; `body` is undefined when it is not JSON. */
export interface RawAnswer {
  status: number;
  head: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect any answer
  body: any;
}

/**
 * Sends a request byte for byte and reads until the server closes, for headers that no client would send. Ask
 * for `Connection: close`, or the server keeps the connection open.
 */
export const sendRaw = (url: string, request: string): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', ...rest] = text.split('\r\n\r\n');
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
      let body: unknown;
      try {
        body = JSON.parse(rest.join('\r\n\r\n'));
      } catch {
        body = undefined;
      }
      resolve({ status, head, body });
    });
  });

/** The body of an answer as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests inspect any answer
export const readJson = async (response: Response | Promise<Response>): Promise<any> =>
  (await response).json();

/** Waits until a condition holds, and checks it every 10 ms. Fails after {@link PATIENCE_MS}, and says which it was. */
export const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  const end = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`waited ${PATIENCE_MS} ms in vain for ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
