// The entry point of a worker, which is loaded as its own script.
import { createCounter, type TextCounts } from './count-text.ts';

/** Text to count. `request` increases with each request. */
export interface CountRequest {
  readonly request: number;
  readonly text: string;
}

/** The counts for one request. */
export interface CountResponse extends TextCounts {
  readonly request: number;
}

const count = createCounter();
let newest = 0;

// A message to ourselves arrives after the messages that are already queued.
const { port1, port2 } = new MessageChannel();
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    port1.onmessage = () => resolve();
    port2.postMessage(null);
  });

self.onmessage = async ({ data }: MessageEvent<CountRequest>): Promise<void> => {
  const { request, text } = data;
  newest = request;
  const counts = await count(text, async () => {
    await nextTask();
    return newest !== request;
  });
  if (counts && newest === request) self.postMessage({ request, ...counts } satisfies CountResponse);
};
