// The two sides of the double talk over the IPC channel of the child process: the shell on one side, the test
// with its browser on the other. Without a channel (in a benchmark) nobody listens, and nothing waits.

/** A side of the wire. */
export interface Peer {
  /** Sends a message without waiting for an answer. */
  tell(name: string, ...args: unknown[]): void;
  /** Asks and waits for the answer. */
  ask(name: string, ...args: unknown[]): Promise<unknown>;
  /** Handles messages and questions from the other side. */
  on(name: string, answer: (...args: never[]) => unknown): void;
}

type Message =
  | { type: 'call'; id: number; name: string; args: unknown[] }
  | { type: 'answer'; id: number; value?: unknown; error?: string };

/** Creates one side of a channel from a process's `send` and `onMessage`. */
export const createPeer = (
  send: ((message: Message) => void) | undefined,
  onMessage: (hear: (message: Message) => void) => void,
): Peer => {
  const waiting = new Map<number, (answer: Extract<Message, { type: 'answer' }>) => void>();
  const answers = new Map<string, (...args: unknown[]) => unknown>();
  let lastId = 0;

  const answer = async ({ id, name, args }: Extract<Message, { type: 'call' }>) => {
    try {
      const value = await answers.get(name)?.(...args);
      send?.({ type: 'answer', id, value });
    } catch (error) {
      send?.({ type: 'answer', id, error: error instanceof Error ? error.message : String(error) });
    }
  };
  onMessage((message) => {
    if (message.type === 'call') return void answer(message);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });

  const ask = (name: string, ...args: unknown[]): Promise<unknown> => {
    if (!send) return new Promise(() => undefined);
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, ({ value, error }) =>
        error === undefined ? resolve(value) : reject(new Error(error)),
      );
      send({ type: 'call', id, name, args });
    });
  };
  return {
    ask,
    tell: (name, ...args) => void ask(name, ...args).catch(() => undefined),
    on: (name, act) => void answers.set(name, act as (...args: unknown[]) => unknown),
  };
};

/** Creates the two sides of a wire within one process. A handler runs before the call returns. */
export const createLocalPeers = (): readonly [Peer, Peer] => {
  type Answers = Map<string, (...args: unknown[]) => unknown>;
  const createSide = (mine: Answers, theirs: Answers): Peer => {
    const ask = async (name: string, ...args: unknown[]) => theirs.get(name)?.(...args);
    return {
      ask,
      tell: (name, ...args) => void ask(name, ...args).catch(() => undefined),
      on: (name, act) => void mine.set(name, act as (...args: unknown[]) => unknown),
    };
  };
  const [left, right]: [Answers, Answers] = [new Map(), new Map()];
  return [createSide(left, right), createSide(right, left)];
};
