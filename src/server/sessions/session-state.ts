import type { SessionHeader, UsageLine } from './session-line.ts';
import type { ModelOfSession, SessionFile } from './sessions-store.ts';

/** The limit for models listed for a session. */
const MAX_MODELS = 100;

/** Returns the state of a file before it's read. */
export const unread = (id: number, path: string, agent: string): SessionFile => ({
  id,
  path,
  agent,
  fingerprint: '',
  head: '',
  tail: '',
  offset: 0,
  sessionId: undefined,
  version: 0,
  name: undefined,
  firstMessage: undefined,
  cwd: undefined,
  parentSession: undefined,
  startedAtMs: undefined,
  endedAtMs: undefined,
  provider: '',
  model: '',
  models: [],
  calls: 0,
  errors: 0,
  tokens: 0,
  usd: 0,
  tooLong: 0,
});

/** Adds up a line's tokens. */
export const tokensOf = ({ input, output, cacheRead, cacheWrite }: UsageLine): number =>
  input + output + cacheRead + cacheWrite;

/** Requests are added up by their length in steps of so many tokens, because long ones can have other prices. */
const LENGTH_STEP = 4_000;

const withRequest = (requests: ModelOfSession['requests'], line: UsageLine): ModelOfSession['requests'] => {
  const { input, output, cacheRead, cacheWrite, cacheWrite1h } = line;
  const inputAbove = Math.max(0, Math.ceil((input + cacheRead + cacheWrite) / LENGTH_STEP) - 1) * LENGTH_STEP;
  const at = requests.findIndex((each) => each.inputAbove === inputAbove);
  const before = requests[at];
  const added = {
    inputAbove,
    requests: (before?.requests ?? 0) + 1,
    input: (before?.input ?? 0) + input,
    output: (before?.output ?? 0) + output,
    cacheRead: (before?.cacheRead ?? 0) + cacheRead,
    cacheWrite: (before?.cacheWrite ?? 0) + cacheWrite,
    cacheWrite1h: (before?.cacheWrite1h ?? 0) + cacheWrite1h,
  };
  return at < 0 ? [...requests, added] : requests.with(at, added);
};

/** Adds a line's tokens without a recorded cost to its model's totals. */
export const addToModel = (models: ModelOfSession[], line: UsageLine): ModelOfSession[] => {
  const at = models.findIndex(({ provider, model }) => provider === line.provider && model === line.model);
  if (at < 0 && models.length >= MAX_MODELS) return models;
  const { provider, model } = line;
  const before = models[at] ?? { provider, model, requests: [] };
  if (at >= 0 && (line.usd > 0 || tokensOf(line) === 0)) return models;
  const added =
    line.usd > 0 || tokensOf(line) === 0
      ? before
      : { ...before, requests: withRequest(before.requests, line) };
  return at < 0 ? [...models, added] : models.with(at, added);
};

/** Records the facts in a file's header line. */
export const startWith = (file: SessionFile, header: SessionHeader): void => {
  file.sessionId = header.id;
  file.version = header.version;
  file.cwd = header.cwd;
  file.parentSession = header.parentSession;
  file.startedAtMs = header.startedAtMs;
  file.endedAtMs ??= header.startedAtMs;
};
