import { savedRange, type WholeSetting } from '../../../../shared/settings.ts';
import { settings as words } from '../../strings/settings.ts';

/** Returns what to do about a typed whole number. Undefined if it's valid. */
export const wholeProblem = (id: WholeSetting, text: string): string | undefined => {
  const [least, most] = savedRange(id);
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? undefined : words.mustBeWhole(words.fields[id].label, least, most);
};

/** Returns what to do about a typed mint address. */
export const mintProblem = (text: string): string | undefined => {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  return url?.protocol === 'https:' || url?.protocol === 'http:'
    ? undefined
    : words.mustBeAddress(words.fields.mintUrl.label);
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
  sourcesIn(text).length > 0 ? undefined : words.mustNameOne(words.fields.btcSources.label);
