import { HISTORY_LIMITS } from '../../../../shared/api/settings.ts';
import { settings as words } from '../../strings/settings.ts';

const LEAST_PORT = 0;
const MOST_PORT = 65_535;
/** The shortest interval, because public price sources limit how often they can be queried. */
const MIN_INTERVAL_SECONDS = 30;
const MAX_INTERVAL_SECONDS = 86_400;

const isWhole = (text: string): boolean => /^\d+$/.test(text.trim());

/** Returns what to do about a typed port. Undefined if it's valid. */
export const portProblem = (text: string): string | undefined =>
  isWhole(text) && Number(text) <= MOST_PORT
    ? undefined
    : words.mustBeWhole(words.port, LEAST_PORT, MOST_PORT);

/** Returns what to do about a typed price interval in seconds. */
export const intervalProblem = (text: string): string | undefined => {
  const seconds = isWhole(text) ? Number(text) : Number.NaN;
  return seconds >= MIN_INTERVAL_SECONDS && seconds <= MAX_INTERVAL_SECONDS
    ? undefined
    : words.mustBeSeconds(words.interval, MIN_INTERVAL_SECONDS, MAX_INTERVAL_SECONDS);
};

/** Returns what to do about a typed limit of the history. */
export const historyProblem = (id: keyof typeof HISTORY_LIMITS, text: string): string | undefined => {
  const [least, most] = HISTORY_LIMITS[id];
  const value = isWhole(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? undefined : words.mustBeWhole(words[id], least, most);
};

/** Returns what to do about a typed mint address. */
export const mintProblem = (text: string): string | undefined => {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:'
    ? undefined
    : words.mustBeAddress(words.mint);
};

/** Returns the items of a comma-separated list. */
export const sourcesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Returns what to do about typed session directories. An empty list is valid. */
export const directoriesProblem = (text: string): string | undefined =>
  sourcesIn(text).every((item) => /^[^=]+=./.test(item)) ? undefined : words.mustBeDirectories;

/** Returns what to do about typed price sources. */
export const sourcesProblem = (text: string): string | undefined =>
  sourcesIn(text).length > 0 ? undefined : words.mustNameOne(words.sources);
