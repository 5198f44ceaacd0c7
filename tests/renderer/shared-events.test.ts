import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ConnectionState } from '../../src/renderer/src/api/events.ts';
import { followSharedEvents, type SharedEventsOptions } from '../../src/renderer/src/api/shared-events.ts';
import type { ServerEvent } from '../../src/shared/api/events.ts';
import { eventually } from '../support/eventually.ts';

const EVENT = 'event: links\ndata: {"ids":["scout"]}\n\n';

/** A server with an event stream, and the tabs that follow it with the real locks and channels of Node. */
const serve = async (limits: Partial<SharedEventsOptions> = {}) => {
  let streams: ServerResponse[] = [];
  let isAway = false;
  const server = createServer((_, response) => {
    if (isAway) return response.destroy();
    streams.push(response.writeHead(200, { 'content-type': 'text/event-stream' }));
    response.on('close', () => (streams = streams.filter((open) => open !== response)));
    return response.write(':\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  let tabs = 0;
  const openTab = (first: string | null = null) => {
    const name = `tab ${++tabs}`;
    let token = first;
    let onToken = (): void => undefined;
    const events: ServerEvent[] = [];
    const states: ConnectionState[] = [];
    const reopened = vi.fn();
    const stream = followSharedEvents({
      open: (signal) => fetch(`http://127.0.0.1:${port}/${name}`, { signal }),
      token: () => token,
      onToken: (listener) => {
        onToken = listener;
        return () => undefined;
      },
      onEvent: (event) => events.push(event),
      onState: (state) => states.push(state),
      onReopened: reopened,
      retryDelaysMs: [5],
      ...limits,
    });
    onTestFinished(() => stream.close());
    const isOpen = () => eventually(() => expect(states.at(-1)).toBe('open'));
    const change = (to: string) => {
      token = to;
      onToken();
    };
    return { stream, events, states, reopened, isOpen, change };
  };
  const leaders = () => streams.map(({ req }) => req.url);
  const send = (text: string) => {
    for (const stream of streams) stream.write(text);
  };
  const setAway = (away: boolean) => {
    isAway = away;
    if (away) server.closeAllConnections();
  };
  return { openTab, leaders, send, setAway };
};

/** Stands for the browser's window and document, which Node doesn't have. */
const inBrowser = () => {
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const window = new EventTarget();
  vi.stubGlobal('document', page);
  vi.stubGlobal('window', window);
  onTestFinished(() => void vi.unstubAllGlobals());
  return { page, window };
};

describe('the tabs of a browser', () => {
  it('share one connection, and the next tab opens one when its tab closes', async () => {
    const { openTab, leaders, send } = await serve();
    const first = openTab();
    await first.isOpen();
    const [second, third] = [openTab(), openTab()];
    await Promise.all([second.isOpen(), third.isOpen()]);
    expect(leaders()).toEqual(['/tab%201']);
    send(EVENT);
    for (const tab of [first, second, third])
      await eventually(() => expect(tab.events).toEqual([{ name: 'links', data: { ids: ['scout'] } }]));
    // They read before they followed, so they read again.
    expect([first, second, third].map(({ reopened }) => reopened.mock.calls.length)).toEqual([0, 1, 1]);

    first.stream.close();
    await eventually(() => expect(leaders()).toEqual(['/tab%202']));
    send(EVENT);
    await eventually(() => expect([second.events.length, third.events.length]).toEqual([2, 2]));
    expect(first.events).toHaveLength(1);
    // Nothing shows that another tab has the connection now.
    expect(third.states).toEqual(['connecting', 'open']);
  });

  it('notice together that the server is away, and each of them makes the connection try again', async () => {
    const { openTab, setAway } = await serve({ retryDelaysMs: [0, 3_600_000] });
    const leader = openTab();
    // Either could lead if both opened at once.
    await leader.isOpen();
    const follower = openTab();
    await follower.isOpen();
    const tabs = [leader, follower];
    setAway(true);
    for (const tab of tabs) await eventually(() => expect(tab.states.at(-1)).toBe('offline'));
    setAway(false);
    // The leader waits for an hour, as a hidden tab may.
    follower.stream.retryNow();
    for (const tab of tabs) await tab.isOpen();
    expect(follower.reopened).toHaveBeenCalledTimes(2);
  });

  it('try again as soon as the network returns or a person looks at one', async () => {
    const { page, window } = inBrowser();
    const { openTab, setAway } = await serve({ retryDelaysMs: [0, 3_600_000] });
    const tab = openTab();
    await tab.isOpen();
    for (const comeBack of [
      () => window.dispatchEvent(new Event('online')),
      () => page.dispatchEvent(new Event('visibilitychange')),
    ]) {
      setAway(true);
      await eventually(() => expect(tab.states.at(-1)).toBe('offline'));
      setAway(false);
      page.visibilityState = 'hidden';
      page.dispatchEvent(new Event('visibilitychange'));
      expect(tab.states.at(-1)).toBe('offline');
      page.visibilityState = 'visible';
      comeBack();
      await tab.isOpen();
    }
  });

  it('pass the lead on while the browser freezes one, which follows again afterwards', async () => {
    const { page } = inBrowser();
    const { openTab, leaders } = await serve();
    const frozen = openTab();
    await frozen.isOpen();
    page.dispatchEvent(new Event('freeze'));
    const other = openTab();
    await other.isOpen();
    expect(leaders()).toEqual(['/tab%202']);
    page.dispatchEvent(new Event('resume'));
    await eventually(() => expect(frozen.reopened).toHaveBeenCalledOnce());
    expect(leaders()).toEqual(['/tab%202']);
  });

  it('replace a tab that leads but hangs', async () => {
    const { openTab, leaders, send } = await serve({ silenceMs: 100, responseMs: 50 });
    const tab = openTab();
    await tab.isOpen();
    const name = (await navigator.locks.query()).held?.[0]?.name ?? '';
    // It holds the lock, and does nothing.
    const hanging = navigator.locks.request(name, { steal: true }, () => new Promise(() => undefined));
    await expect(hanging).rejects.toThrow();
    await eventually(() => expect(leaders()).toHaveLength(1));
    send(EVENT);
    await eventually(() => expect(tab.events).toHaveLength(1));
  });

  it('with different tokens have connections of their own, and move when they get another token', async () => {
    const { openTab, leaders } = await serve();
    const [signedOut, signedIn] = [openTab(), openTab('dmp_one')];
    await Promise.all([signedOut.isOpen(), signedIn.isOpen()]);
    expect(leaders()).toHaveLength(2);
    signedOut.change('dmp_one');
    await eventually(() => expect(leaders()).toEqual(['/tab%202']));
    await signedOut.isOpen();
  });
});
