import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ConnectionState, type EventStream, followEvents } from '../../src/renderer/src/api/events.ts';
import type { ServerEvent } from '../../src/shared/api/events.ts';
import { eventually } from '../support/eventually.ts';
import { until } from '../support/raw-http.ts';

/** Longer than a busy machine needs between two comments. */
const SILENT_MS = 2_000;

let server: Server | undefined;
let stream: EventStream | undefined;

afterEach(async () => {
  stream?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
});

/** Follows a real server, whose every answer `answer` writes, with delays a test can wait for. */
const follow = async (
  answer: (response: ServerResponse, attempt: number) => void,
  silenceMs = 5000,
  lateMs = 5000,
  retryDelaysMs = [5, 10],
) => {
  let attempts = 0;
  const listening = createServer((_: unknown, response: ServerResponse) => answer(response, ++attempts));
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  const events: ServerEvent[] = [];
  const states: ConnectionState[] = [];
  const reopened = vi.fn();
  const hidden = vi.fn();
  stream = followEvents({
    open: (signal) => fetch(`http://127.0.0.1:${port}/api/events`, { signal }),
    onEvent: (event) => events.push(event),
    onState: (state) => states.push(state),
    onReopened: reopened,
    onHidden: hidden,
    retryDelaysMs,
    silenceMs,
    lateMs,
  });
  return { events, states, reopened, hidden, attempts: () => attempts };
};

const begin = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

describe('followEvents', () => {
  it('passes on events, however the network cuts them', async () => {
    const { events, states } = await follow((response) => {
      begin(response).write(': hello\n\n');
      response.write('event: links\nda');
      response.write('ta: {"ids":["scöut"]}\n\nevent: agents\ndata: {"ids":null,"files":null}\n\n');
    });
    await eventually(() =>
      expect(events).toEqual([
        { name: 'links', data: { ids: ['scöut'] } },
        { name: 'agents', data: { ids: null, files: null } },
      ]),
    );
    expect(states).toEqual(['connecting', 'open']);
  });

  it('reconnects when a stream ends, and reports that changes were missed', async () => {
    const { states, reopened } = await follow((response, attempt) => {
      begin(response).write(':\n\n');
      if (attempt === 1) response.end();
    });
    await eventually(() => expect(reopened).toHaveBeenCalledTimes(1));
    expect(states).toEqual(['connecting', 'open', 'connecting', 'open']);
  });

  it('distinguishes an unanswered attempt from a refused one, and continues when one succeeds', async () => {
    const { states, reopened, attempts } = await follow((response, attempt) => {
      if (attempt === 1) response.destroy();
      else if (attempt === 2) response.writeHead(401).end();
      else begin(response).write(':\n\n');
    });
    await eventually(() => expect(states.at(-1)).toBe('open'));
    expect(states).toEqual(['connecting', 'offline', 'refused', 'open']);
    expect(attempts()).toBe(3);
    expect(reopened).not.toHaveBeenCalled();
  });

  it('gives up a connection that fell silent', async () => {
    const { reopened } = await follow((response) => void begin(response).write(':\n\n'), 60);
    await eventually(() => expect(reopened).toHaveBeenCalled());
  });

  it('replaces a connection that missed a sign of life when asked to retry, and no other', async () => {
    const asleep = await follow((response) => void begin(response).write(':\n\n'), 5000, 0);
    await eventually(() => expect(asleep.states).toContain('open'));
    stream?.retryNow();
    await eventually(() => expect(asleep.reopened).toHaveBeenCalledTimes(1));
    stream?.close();
    server?.closeAllConnections();
    const awake = await follow((response) => void begin(response).write(':\n\n'));
    await eventually(() => expect(awake.states).toContain('open'));
    stream?.retryNow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(awake.attempts()).toBe(1);
  });

  it('has no connection while its page is hidden, and catches up when it’s shown', async () => {
    const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
    vi.stubGlobal('document', page);
    onTestFinished(() => void vi.unstubAllGlobals());
    const show = (state: 'visible' | 'hidden') => {
      page.visibilityState = state;
      page.dispatchEvent(new Event('visibilitychange'));
    };
    let open = 0;
    const { states, reopened, hidden, attempts } = await follow((response) => {
      open++;
      response.on('close', () => open--);
      begin(response).write(':\n\n');
    });
    await eventually(() => expect([states.at(-1), open]).toEqual(['open', 1]));
    show('hidden');
    await eventually(() => expect(open).toBe(0));
    expect(hidden).toHaveBeenCalledOnce();
    stream?.retryNow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([attempts(), reopened.mock.calls.length]).toEqual([1, 0]);
    show('visible');
    await eventually(() => expect(reopened).toHaveBeenCalledOnce());
    // Nothing blinks.
    expect(states.filter((state) => state !== 'open')).toEqual(['connecting']);
    show('hidden');
    show('visible');
    await eventually(() => expect([reopened.mock.calls.length, open]).toEqual([2, 1]));
  });

  it('tries again as soon as the network returns', async () => {
    vi.stubGlobal('window', new EventTarget());
    onTestFinished(() => void vi.unstubAllGlobals());
    let isAway = true;
    const { states } = await follow(
      (response) => void (isAway ? response.destroy() : begin(response).write(':\n\n')),
      5000,
      5000,
      [3_600_000],
    );
    await eventually(() => expect(states.at(-1)).toBe('offline'));
    isAway = false;
    window.dispatchEvent(new Event('online'));
    await eventually(() => expect(states.at(-1)).toBe('open'));
  });

  it('opens another connection when its token changes, without reporting an interruption', async () => {
    const { states, reopened, attempts } = await follow((response) => void begin(response).write(':\n\n'));
    await eventually(() => expect(states.at(-1)).toBe('open'));
    stream?.reconnect();
    await eventually(() => expect(reopened).toHaveBeenCalledOnce());
    expect([attempts(), states]).toEqual([2, ['connecting', 'open', 'open']]);
  });

  it('treats a comment as a sign of life', { tags: 'slow' }, async () => {
    let comments = 0;
    const { reopened } = await follow((response) => {
      const timer = setInterval(() => {
        comments++;
        response.write(':\n\n');
      }, 20);
      begin(response).write(':\n\n');
      response.on('close', () => clearInterval(timer));
    }, SILENT_MS);
    // These take longer than the silence that it endures.
    await until(() => comments * 20 > SILENT_MS * 1.5);
    expect(reopened).not.toHaveBeenCalled();
  });

  it('stops for good when closed', async () => {
    const { attempts, states } = await follow((response) => void begin(response).write(':\n\n'));
    await eventually(() => expect(states).toContain('open'));
    stream?.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(attempts()).toBe(1);
  });
});
