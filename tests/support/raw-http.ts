import { connect } from 'node:net';

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

/** Waits until a condition holds, and checks it every 10 ms. Fails after `timeoutMs`. */
export const until = async (condition: () => boolean | Promise<boolean>, timeoutMs = 5000): Promise<void> => {
  const end = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms in vain`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
