// Code that runs inside the page. These functions are sent as text, so each must be self-contained.

/** The form of a value on its way from one world to the other. */
type Coded =
  | { kind: 'value'; value: unknown }
  | { kind: 'function' | 'promise'; id: number }
  | { kind: 'error'; message: string }
  | { kind: 'array'; items: Coded[] }
  | { kind: 'object'; entries: [string, Coded][] };

/** One world's side of the bridge between a page's worlds. */
export interface WorldPeer {
  encode(value: unknown): unknown;
  decode(coded: unknown): unknown;
}

/**
 * One side of a bridge between the two worlds of a page, like contextBridge. Values are cloned, functions
 * become functions that call across, and promises become promises. Neither world ever touches the other's
 * objects. The worlds share only the DOM, so they talk by events, whose details Chromium clones.
 */
export const createWorldPeer = (secret: string, here: string, there: string): WorldPeer => {
  type Message =
    | { type: 'call'; id: number; callId: number; args: Coded[] }
    | { type: 'reply'; callId: number; value?: Coded; error?: string }
    | { type: 'settled'; id: number; value?: Coded; error?: string };
  const functions = new Map<number, (...args: unknown[]) => unknown>();
  const replies = new Map<number, Extract<Message, { type: 'reply' }>>();
  const promises = new Map<number, (message: Extract<Message, { type: 'settled' }>) => void>();
  let lastId = 0;
  const newId = () => {
    lastId += 1;
    return lastId;
  };
  const send = (detail: Message) => window.dispatchEvent(new CustomEvent(`${secret}-${there}`, { detail }));
  const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

  const encode = (value: unknown): Coded => {
    if (typeof value === 'function') {
      const id = newId();
      functions.set(id, value as (...args: unknown[]) => unknown);
      return { kind: 'function', id };
    }
    if (value instanceof Promise) {
      const id = newId();
      value.then(
        (settled) => send({ type: 'settled', id, value: encode(settled) }),
        (error: unknown) => send({ type: 'settled', id, error: messageOf(error) }),
      );
      return { kind: 'promise', id };
    }
    if (Array.isArray(value)) return { kind: 'array', items: value.map(encode) };
    // Only the message of an error crosses.
    if (value instanceof Error) return { kind: 'error', message: value.message };
    // Only the own fields of a class instance cross.
    if (Object.prototype.toString.call(value) === '[object Object]')
      return {
        kind: 'object',
        entries: Object.entries(Object(value)).map(([key, item]) => [key, encode(item)]),
      };
    // A value that can't be cloned can't cross.
    return { kind: 'value', value: structuredClone(value) };
  };

  const decode = (coded: Coded): unknown => {
    switch (coded.kind) {
      case 'value':
        return coded.value;
      case 'error':
        return new Error(coded.message);
      case 'array':
        return coded.items.map(decode);
      case 'object':
        return Object.fromEntries(coded.entries.map(([key, item]) => [key, decode(item)]));
      case 'promise':
        return new Promise((resolve, reject) => {
          promises.set(coded.id, ({ value, error }) =>
            value ? resolve(decode(value)) : reject(new Error(error)),
          );
        });
      case 'function':
        return (...args: unknown[]) => {
          const callId = newId();
          send({ type: 'call', id: coded.id, callId, args: args.map(encode) });
          // Listeners run before dispatchEvent returns.
          const reply = replies.get(callId);
          replies.delete(callId);
          if (!reply?.value) throw new Error(reply?.error ?? 'the other world is gone');
          return decode(reply.value);
        };
    }
  };

  window.addEventListener(`${secret}-${here}`, (event) => {
    const message = (event as CustomEvent<Message>).detail;
    if (message.type === 'reply') replies.set(message.callId, message);
    else if (message.type === 'settled') {
      promises.get(message.id)?.(message);
      promises.delete(message.id);
    } else {
      try {
        const value = functions.get(message.id)?.(...message.args.map(decode));
        send({ type: 'reply', callId: message.callId, value: encode(value) });
      } catch (error) {
        send({ type: 'reply', callId: message.callId, error: messageOf(error) });
      }
    }
  });
  return { encode, decode: (coded) => decode(coded as Coded) };
};

/** In the page's own world: receives and deep-freezes what the preload exposes, before any script runs. */
export const receiveExposed = (secret: string, peer: WorldPeer): void => {
  const freeze = (value: unknown): unknown => {
    if (typeof value !== 'function' && (typeof value !== 'object' || value === null)) return value;
    for (const part of Object.values(value)) freeze(part);
    return Object.freeze(value);
  };
  window.addEventListener(`${secret}-expose`, (event) => {
    const { name, api } = (event as CustomEvent<{ name: string; api: unknown }>).detail;
    Object.defineProperty(window, name, { value: freeze(peer.decode(api)), enumerable: true });
  });
};

/** In the preload's world: `electron` as a sandboxed preload gets it, with a binding of this world only. */
export const createPreloadElectron = (secret: string, peer: WorldPeer, binding: string) => {
  const scope = globalThis as unknown as Record<string, (text: string) => void>;
  const post = scope[binding];
  const waiting = new Map<number, (ok: boolean, value: unknown) => void>();
  const listeners = new Map<string, Set<(event: unknown, ...args: unknown[]) => void>>();
  let lastId = 0;
  const incoming = {
    settle: (id: number, ok: boolean, value: unknown) => waiting.get(id)?.(ok, value),
    deliver: (channel: string, args: unknown[]) => {
      for (const hear of listeners.get(channel) ?? []) hear({}, ...args);
    },
  };
  (globalThis as unknown as Record<string, unknown>)[`${binding}Incoming`] = incoming;
  const ipcRenderer = {
    invoke: (channel: string, ...args: unknown[]) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        waiting.set(id, (ok, value) =>
          ok
            ? resolve(value)
            : reject(new Error(`Error invoking remote method '${channel}': Error: ${String(value)}`)),
        );
        // As in Electron, an argument that can't be cloned is an error here.
        post?.(JSON.stringify({ id, channel, args: structuredClone(args) }));
      }),
    on: (channel: string, hear: (event: unknown, ...args: unknown[]) => void) => {
      listeners.set(channel, (listeners.get(channel) ?? new Set()).add(hear));
    },
    removeListener: (channel: string, hear: (event: unknown, ...args: unknown[]) => void) => {
      listeners.get(channel)?.delete(hear);
    },
  };
  const contextBridge = {
    exposeInMainWorld: (name: string, api: unknown) => {
      window.dispatchEvent(new CustomEvent(`${secret}-expose`, { detail: { name, api: peer.encode(api) } }));
    },
  };
  return { ipcRenderer, contextBridge };
};
