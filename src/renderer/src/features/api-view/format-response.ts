import { number } from '../../strings/words.ts';

/** How many characters of a response are shown. */
const MAX_SHOWN_CHARACTERS = 100_000;

/** A response's text, as shown. */
interface ShownBody {
  readonly text: string;
  /** True if the end was cut off. */
  readonly isCut: boolean;
}

/** Formats a response. JSON is indented unless it's too long to show completely. */
export const formatBody = (text: string, type: string): ShownBody => {
  const cut = (shown: string) =>
    shown.length > MAX_SHOWN_CHARACTERS
      ? { text: shown.slice(0, MAX_SHOWN_CHARACTERS), isCut: true }
      : { text: shown, isCut: false };
  if (text.length > MAX_SHOWN_CHARACTERS || !type.includes('json')) return cut(text);
  try {
    return cut(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return cut(text);
  }
};

const UNITS = ['bytes', 'kB', 'MB'] as const;

/** Formats a size, such as `1.2 kB`. */
export const formatBytes = (bytes: number): string => {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 ? number.format(size) : size.toFixed(1)} ${UNITS[unit]}`;
};

/** Formats a time, such as `0.8 ms`, `120 ms` or `2.5 s`. */
export const formatDuration = (ms: number): string => {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return `${ms < 60_000 ? (ms / 1000).toFixed(1) : number.format(Math.round(ms / 1000))} s`;
};
