import { connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection that a test holds. */
export interface HeldConnection {
  /** All that arrived so far. */
  text(): string;
  /** The status of the response, if one began. */
  status(): number | undefined;
  isClosed(): boolean;
  write(text: string): void;
  close(): void;
}

/** Opens connections one by one, and sends a beginning on each. They are closed when the test ends, if not before. */
export const holdConnections = async (
  url: string,
  count: number,
  beginning = '',
): Promise<HeldConnection[]> => {
  const { hostname, port } = new URL(url);
  const held: HeldConnection[] = [];
  for (let number = 0; number < count; number++) {
    const socket = connect(Number(port), hostname);
    let text = '';
    let isClosed = false;
    socket
      .on('data', (chunk) => {
        text += chunk;
      })
      .on('error', () => undefined)
      .once('close', () => {
        isClosed = true;
      });
    onTestFinished(() => void socket.destroy());
    if (beginning !== '') socket.write(beginning);
    held.push({
      text: () => text,
      status: () => {
        const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
        return status === undefined ? undefined : Number(status);
      },
      isClosed: () => isClosed,
      write: (more) => void socket.write(more),
      close: () => void socket.destroy(),
    });
    await new Promise<void>((resolve) => socket.once('connect', resolve).once('close', () => resolve()));
  }
  return held;
};
