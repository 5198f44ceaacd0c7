import { randomUUID } from 'node:crypto';

/** The tokens and cost of a call, as pi records them. */
export interface CallUsage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  usd?: number;
}

/** A line of a session file. */
export type SessionEntry = Record<string, unknown>;

const usageOf = ({
  input = 0,
  output = 0,
  cacheRead = 0,
  cacheWrite = 0,
  cacheWrite1h,
  usd = 0,
}: CallUsage) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
  ...(cacheWrite1h === undefined ? {} : { cacheWrite1h }),
  totalTokens: input + output + cacheRead + cacheWrite,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: usd },
});

/** Writes a session as pi does, in version 3 of its format, with made-up times a second apart. */
export const makeSession = ({
  startedAtMs = Date.now() - 60 * 60_000,
  cwd = '/work',
  parentSession,
  version = 3,
}: {
  startedAtMs?: number;
  cwd?: string;
  parentSession?: string;
  version?: 1 | 2 | 3;
} = {}) => {
  const id = randomUUID();
  let atMs = startedAtMs;
  let parentId: string | null = null;
  const header: SessionEntry = {
    type: 'session',
    ...(version === 1 ? {} : { version }),
    id,
    timestamp: new Date(startedAtMs).toISOString(),
    cwd,
    ...(parentSession === undefined ? {} : { parentSession }),
  };
  const entries: SessionEntry[] = [];
  const add = (entry: SessionEntry) => {
    atMs += 1_000;
    const own = randomUUID().slice(0, 8);
    entries.push({
      ...entry,
      ...(version === 1 ? {} : { id: own, parentId }),
      timestamp: new Date(atMs).toISOString(),
    });
    parentId = own;
  };
  const message = (fields: SessionEntry) => add({ type: 'message', message: { ...fields, timestamp: atMs } });
  return {
    id,
    /** The name that pi gives the file. */
    fileName: `${new Date(startedAtMs).toISOString().replace(/[:.]/g, '-')}_${id}.jsonl`,
    entries,
    say: (text: string) => message({ role: 'user', content: text }),
    call: (usage: CallUsage, { provider = 'local', model = 'small', stopReason = 'stop' } = {}) =>
      message({
        role: 'assistant',
        provider,
        model,
        stopReason,
        content: [{ type: 'text', text: 'Done.' }],
        usage: usageOf(usage),
      }),
    compact: (usage: CallUsage) => add({ type: 'compaction', summary: 'It worked.', usage: usageOf(usage) }),
    warmCache: (usage: CallUsage, { provider = 'local', model = 'small' } = {}) =>
      add({ type: 'usage', kind: 'cache_warm', provider, model, usage: usageOf(usage) }),
    toolResult: (usage: CallUsage) => message({ role: 'toolResult', content: [], usage: usageOf(usage) }),
    rename: (name: string) => add({ type: 'session_info', name }),
    /** The text of the file, with the lines of this session or of another. */
    text: (lines: readonly SessionEntry[] = entries) =>
      [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(''),
  };
};
