import {
  NEWEST_VERSION,
  NO_MODEL,
  type SessionHeader,
  type SessionModel,
  type UsageLine,
} from './session-line.ts';
import type { ModelOfSession, SessionFile } from './sessions-store.ts';

/** The limit for models listed for a session. The tokens of all others are added to a model without a name. */
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
  isOther: false,
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
  damaged: 0,
  refused: 0,
  isUnfinished: false,
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
  const indexOf = (own: SessionModel) =>
    models.findIndex(({ provider, model }) => provider === own.provider && model === own.model);
  const isKnown = models.length < MAX_MODELS || indexOf(line) >= 0;
  const { provider, model } = isKnown ? line : NO_MODEL;
  const at = indexOf({ provider, model });
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
  file.version = header.version ?? Number.MAX_SAFE_INTEGER;
  file.cwd = header.cwd;
  file.parentSession = header.parentSession;
  file.startedAtMs = header.startedAtMs;
  file.endedAtMs ??= header.startedAtMs;
};

/** Returns why some calls in a file aren't counted, as a sentence. Undefined if all are, or if it isn't a session. */
export const problemIn = (file: SessionFile): string | undefined => {
  const { sessionId, isOther, version, tooLong, damaged, refused, isUnfinished } = file;
  if (sessionId === undefined)
    // pi calls a file a session only if its first line says so. That line may be one of those that can't be read.
    return damaged > 0 || tooLong > 0 || (isUnfinished && !isOther)
      ? 'It doesn’t start like a pi session, so nothing in it was counted.'
      : undefined;
  if (tooLong > 0) return 'A line in it is longer than 32 MiB, so that line was not counted.';
  if (damaged > 0) return 'A line in it is damaged, so that line was not counted.';
  if (refused > 0) return 'An amount in it is impossible, so it was counted as 0.';
  if (version > NEWEST_VERSION) return 'It has a newer format, so some of its calls may not be counted.';
  return isUnfinished ? 'Its last line isn’t finished, so that line was not counted.' : undefined;
};
