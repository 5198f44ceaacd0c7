import { pathOfExample, type RequestExample } from '../../src/shared/api/examples/example.ts';
import { exchangeToken } from '../../src/shared/api/sign-in.ts';
import type { Answer, TestServer } from './server.ts';

/** Translates between the values that a server made and those that the documents show for them. */
export interface StandIns {
  /** Adds a value, before or while examples run. */
  add(shown: string, real: string): void;
  /** A JSON value as the documents show it. Adds each new id that it has. */
  toShown(value: unknown): unknown;
  /** A JSON value of an example as the server needs it. */
  toReal<T>(value: T): T;
}

const SHOWN_TIME = '2026-11-22T10:00:00.000Z';
const DATE_TIME = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** Texts that are new in each run, and what the documents show for the first, the second and so on. */
const MADE: readonly (readonly [RegExp, (number: number, real: string) => string])[] = [
  // An entry of the trash: the agent, a time and random digits.
  [/@[0-9a-z]{8,9}-[0-9a-f]{12}/g, (number) => `@mibx6o00-${String(number).padStart(12, '0')}`],
  [
    /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
    (number) => `6f1c2a9e-4b7d-4c1e-9a3f-${String(number).padStart(12, '0')}`,
  ],
  [/\b[0-9a-f]{32}\b/g, (number) => `7d2b6c1a9e3f4d5b8c0a${String(number).padStart(12, '0')}`],
  [/\bcashu[AB][\w-]{20,}={0,2}/g, (number) => `cashuBo2FteBhodHRwczovL21pbnQuZXhhbXBsZS9leGFtcGxl${number}`],
  [/\bcreqA[\w-]{20,}={0,2}/g, (number) => `creqApGFhBWF1Y3NhdGFtgXhodHRwczovL21pbnQuZXhhbXBsZQ${number}`],
  [/\bsk-[0-9a-f]{64}\b/g, (number) => `sk-${String(number).padStart(64, '0')}`],
  [/\bdm[kp]_[0-9a-f]{64}\b/g, (number, real) => `${real.slice(0, 4)}${String(number).padStart(64, '0')}`],
];

/** Values that are new in each run, by the name of their field. */
const SHOWN_FIELDS: Readonly<Record<string, number | string>> = {
  uptimeSeconds: 12,
  durationMs: 0.8,
  port: 8402,
  challenge: 'B7owM0EqIdZ3BwDNbc4KMEBhkFCO7dBJ9O59_Q8zKP0',
};

const mapStrings = (value: unknown, map: (text: string) => string, name = ''): unknown => {
  if (typeof value === 'string') return SHOWN_FIELDS[name] ?? map(value);
  if (typeof value === 'number') return SHOWN_FIELDS[name] ?? value;
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, map, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [map(key), mapStrings(each, map, key)]),
  );
};

/** Creates {@link StandIns} that know the given values: what is shown, and what it is here. */
export const createStandIns = (known: readonly (readonly [shown: string, real: string])[]): StandIns => {
  const pairs: [shown: string, real: string][] = [];
  const counts = new Map<RegExp, number>();
  const add = (shown: string, real: string) => {
    pairs.push([shown, real]);
    // The longest first: an address of the root begins with that of its parent.
    pairs.sort((one, other) => other[1].length - one[1].length);
  };
  for (const [shown, real] of known) add(shown, real);
  const show = (text: string): string => {
    for (const [pattern, make] of MADE)
      for (const [real] of text.matchAll(pattern)) {
        if (pairs.some((pair) => pair.includes(real))) continue;
        const number = (counts.get(pattern) ?? 0) + 1;
        counts.set(pattern, number);
        add(make(number, real), real);
      }
    let shown = text;
    for (const [stand, real] of pairs) shown = shown.replaceAll(real, stand);
    return shown.replaceAll(DATE_TIME, SHOWN_TIME);
  };
  const restore = (text: string): string => {
    let real = text;
    for (const [shown, made] of pairs) real = real.replaceAll(shown, made);
    return real;
  };
  return {
    add,
    toShown: (value) => mapStrings(value, show),
    toReal: <T>(value: T) => mapStrings(value, restore) as T,
  };
};

/** Sends an example, with the operator token where one is needed. */
export const sendExample = async (
  { call, operatorToken }: Pick<TestServer, 'call' | 'operatorToken'>,
  example: RequestExample,
  standIns: StandIns,
): Promise<Answer> => {
  const { endpoint, params = {}, query = {}, headers = {}, body } = example;
  const address = { params: standIns.toReal(params), query: standIns.toReal(query) };
  return call(endpoint.method, pathOfExample({ ...example, ...address }), standIns.toReal(body), {
    ...(endpoint.access === 'operator' || endpoint === exchangeToken
      ? { Authorization: `Bearer ${operatorToken}` }
      : {}),
    ...(standIns.toReal(headers) as Record<string, string>),
  });
};
