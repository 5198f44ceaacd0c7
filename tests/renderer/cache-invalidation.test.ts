import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { QueryObserver } from '@tanstack/react-query';
import { expect, it, onTestFinished, vi } from 'vitest';
import { invalidateOnEvents, showSaved } from '../../src/renderer/src/api/cache-invalidation.ts';
import { keys } from '../../src/renderer/src/api/queries.ts';
import { createQueryClient } from '../../src/renderer/src/api/query-client.ts';
import { searchProgressQuery } from '../../src/renderer/src/api/wallet-queries.ts';
import { eventually } from '../support/eventually.ts';

/** A server with a balance and an event stream, and a cache that shows the balance and follows the stream. */
const show = async () => {
  const streams: ServerResponse[] = [];
  let balance = 1;
  const server = createServer((request, response) => {
    if (request.url !== '/events') return response.end(`${balance}`);
    streams.push(response.writeHead(200, { 'content-type': 'text/event-stream' }));
    return response.write(':\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createQueryClient();
  const observer = new QueryObserver(client, {
    queryKey: keys.wallet,
    queryFn: async () => Number(await (await fetch(url)).text()),
  });
  const unsubscribe = observer.subscribe(() => undefined);
  const onState = vi.fn();
  const stream = invalidateOnEvents(client, {
    open: (signal) => fetch(`${url}/events`, { signal }),
    onState,
    retryDelaysMs: [5],
  });
  onTestFinished(async () => {
    stream.close();
    unsubscribe();
    client.clear();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const shown = () => observer.getCurrentResult().data;
  await eventually(() => expect([shown(), onState.mock.lastCall]).toEqual([1, ['open']]));
  const search = () => client.getQueryData(searchProgressQuery().queryKey);
  return { streams, client, shown, search, change: (to: number) => (balance = to) };
};

it('reads again what an event reports', async () => {
  const { streams, shown, change } = await show();
  change(2);
  streams[0]?.write('event: wallet\ndata: {"balance":null,"pending":null,"operation":null}\n\n');
  await eventually(() => expect(shown()).toBe(2));
});

it('reads again what changed during its first read', async () => {
  const { streams, client, change } = await show();
  const answers: ((balance: number) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: keys.walletBalance,
    queryFn: () => new Promise<number>((resolve) => answers.push(resolve)),
  });
  onTestFinished(observer.subscribe(() => undefined));
  await eventually(() => expect(answers).toHaveLength(1));
  change(2);
  streams[0]?.write('event: wallet\ndata: {"balance":null,"pending":null,"operation":null}\n\n');
  // The other query of the wallet shows that the event arrived.
  await eventually(() => expect(client.getQueryData(keys.wallet)).toBe(2));
  answers[0]?.(1);
  await eventually(() => expect(answers).toHaveLength(2));
  answers[1]?.(2);
  await eventually(() => expect(observer.getCurrentResult().data).toBe(2));
});

it('finishes each read and repeats it once, however often another program writes meanwhile', async () => {
  const { streams, client } = await show();
  const signals: AbortSignal[] = [];
  const answers: ((balance: number) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: keys.walletBalance,
    queryFn: ({ signal }) => {
      signals.push(signal);
      return new Promise<number>((resolve) => answers.push(resolve));
    },
  });
  onTestFinished(observer.subscribe(() => undefined));
  answers[0]?.(1);
  await eventually(() => expect(observer.getCurrentResult().data).toBe(1));
  const write = () =>
    streams[0]?.write('event: wallet\ndata: {"balance":null,"pending":null,"operation":null}\n\n');
  write();
  await eventually(() => expect(answers).toHaveLength(2));
  // Two bursts while the second read is in progress. The other query of the wallet shows that each arrived.
  for (const balance of [7, 8]) {
    client.setQueryData(keys.wallet, balance);
    write();
    await eventually(() => expect(client.getQueryData(keys.wallet)).toBe(1));
  }
  expect(answers).toHaveLength(2);
  answers[1]?.(2);
  await eventually(() => expect(answers).toHaveLength(3));
  expect(observer.getCurrentResult().data).toBe(2);
  answers[2]?.(3);
  await eventually(() => expect(observer.getCurrentResult().data).toBe(3));
  // One more if the second burst arrived only during the third read.
  expect(answers.length).toBeLessThanOrEqual(4);
  expect(signals.some(({ aborted }) => aborted)).toBe(false);
});

it('reads everything again after the stream was interrupted, even if the server doesn’t report what it missed', async () => {
  const { streams, shown, change } = await show();
  change(2);
  streams[0]?.end();
  await eventually(() => expect(streams).toHaveLength(2));
  await eventually(() => expect(shown()).toBe(2));
});

it('shows the progress of a search at the mint, and clears it when its end may have been missed', async () => {
  const { streams, search } = await show();
  const progress = { keysetsDone: 1, keysets: 2, counters: 300, sats: 21 };
  const send = (restore: unknown) => {
    const data = JSON.stringify({ balance: null, pending: null, operation: null, restore });
    streams.at(-1)?.write(`event: wallet\ndata: ${data}\n\n`);
  };
  send(progress);
  await eventually(() => expect(search()).toEqual(progress));
  send(undefined);
  send(null);
  await eventually(() => expect(search()).toBeNull());
  send(progress);
  await eventually(() => expect(search()).toEqual(progress));
  streams[0]?.end();
  await eventually(() => expect(streams).toHaveLength(2));
  await eventually(() => expect(search()).toBeNull());
});

it('shows what was saved instead of an older read, and then a newer version that the read may have found', async () => {
  const { client } = await show();
  const answers: ((root: string) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: keys.settings,
    queryFn: () => new Promise<string>((resolve) => answers.push(resolve)),
  });
  onTestFinished(observer.subscribe(() => undefined));
  await eventually(() => expect(answers).toHaveLength(1));
  await showSaved(client, keys.settings, 'saved');
  expect(observer.getCurrentResult().data).toBe('saved');
  answers[0]?.('before');
  await eventually(() => expect(answers).toHaveLength(2));
  answers[1]?.('newer');
  await eventually(() => expect(observer.getCurrentResult().data).toBe('newer'));

  // Nothing was being read, so nothing is read again.
  await showSaved(client, keys.settings, 'saved again');
  expect([answers.length, observer.getCurrentResult().data]).toEqual([2, 'saved again']);
});
