import { createParser } from 'eventsource-parser';
import { onTestFinished } from 'vitest';
import type { ServerEvent } from '../../src/shared/api/events.ts';

/** Reads the event stream of a server until the test ends. */
export const followEvents = async (url: string, headers: Record<string, string> = {}) => {
  const leave = new AbortController();
  const response = await fetch(`${url}/api/events`, { signal: leave.signal, headers });
  const events: ServerEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push({ name: event, data: JSON.parse(data) } as ServerEvent),
  });
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
    return 'ended' as const;
  };
  const ended = read().catch(() => 'cut off' as const);
  onTestFinished(() => leave.abort());
  return { response, events, ended, leave: () => leave.abort() };
};
