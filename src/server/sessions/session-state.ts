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

/** Adds a line's tokens without a recorded cost to its model's totals. */
export const addToModel = (models: ModelOfSession[], line: UsageLine): ModelOfSession[] => {
  const at = models.findIndex(({ provider, model }) => provider === line.provider && model === line.model);
  if (at < 0 && models.length >= MAX_MODELS) return models;
  const { provider, model } = line;
  const before = models[at] ?? {
    provider,
    model,
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    cacheWrite1h: 0,
  };
  const added =
    line.usd > 0
      ? before
      : {
          provider,
          model,
          input: before.input + line.input,
          output: before.output + line.output,
          cacheRead: before.cacheRead + line.cacheRead,
          cacheWrite: before.cacheWrite + line.cacheWrite,
          cacheWrite1h: before.cacheWrite1h + line.cacheWrite1h,
        };
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
