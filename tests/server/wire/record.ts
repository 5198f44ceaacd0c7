import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { EndpointShape } from '../../../src/shared/api/endpoint.ts';
import type { ErrorCode } from '../../../src/shared/api/errors.ts';
import type { Answer, TestServer } from '../../support/server.ts';
import { type Fields, fieldsOf } from './fields.ts';

/** Set it to rewrite the records from what the server answers now. */
const UPDATE_SWITCH = 'UPDATE_WIRE';

const DIRECTORY = join(import.meta.dirname, 'record');

/** What is kept of an answer. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  body: Fields;
}

/** What is kept of one request and its answer. Sentences and values that change between runs aren't. */
export interface WireCase extends WireAnswer {
  /** Method and path template. */
  request: string;
  /** What is sent in the query, the headers and the body. */
  sends: Fields;
}

/** The name of a case: endpoint id, then `success` or the error code, then what sets it apart. */
export type CaseName = string;

const ETAG = /^"[0-9a-f]{64}"$/;

/** The headers that clients rely on; `<…>` stands for a value that changes between runs. */
const HEADERS: Record<string, (value: string) => string> = {
  'content-type': (value) => value,
  etag: (value) => (ETAG.test(value) ? '<etag>' : value),
  location: (value) => value,
  'retry-after': (value) => (/^[1-9]\d*$/.test(value) ? '<seconds>' : value),
  'www-authenticate': (value) => value,
  allow: (value) => value,
};

/** The headers of an answer that are kept. */
export const headersOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(HEADERS).flatMap(([name, show]) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, show(value)]];
    }),
  );

/** What a case sends. Operator routes get the operator token unless `headers` has another one. */
export interface WireRequest {
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
  /** Tells this case from others with the same outcome. */
  label?: string;
  /** Keeps only this many levels of the body's fields. */
  depth?: number;
}

/** The routes that show values of settings, or paths of sessions, only to the operator. */
const SHOWS_MORE = /^(pi-settings|pi-models|mcp|packages|json-files|usage)\./;

/** What a case is asked of. */
export type WireServer = Pick<TestServer, 'call'> & { operatorToken: string };

/** Sends a request, checks its outcome and keeps the case. */
export type Ask = (
  server: WireServer,
  endpoint: EndpointShape,
  outcome: 'success' | ErrorCode,
  request?: WireRequest,
) => Promise<Answer>;

/** The path of an endpoint with its params and query. */
export const pathOf = (
  { path }: EndpointShape,
  params: Record<string, string> = {},
  query: Record<string, string> = {},
): string => {
  const filled = path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(params[name] ?? 'x'));
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
};

const sendsOf = ({ query, headers, body }: WireRequest): Fields => {
  const { Authorization: _, ...sent } = headers ?? {};
  return fieldsOf({
    ...(query ? { query } : {}),
    ...(Object.keys(sent).length > 0 ? { header: sent } : {}),
    ...(body === undefined ? {} : { body }),
  });
};

const sorted = <T>(values: Record<string, T>): Record<string, T> =>
  Object.fromEntries(
    Object.keys(values)
      .sort()
      .map((key) => [key, values[key] as T]),
  );

/** Compares what was seen with the record of that name, or rewrites the record. */
export const compareWithRecord = async (name: string, seen: Record<string, unknown>): Promise<void> => {
  const path = join(DIRECTORY, `${name}.json`);
  const text = `${JSON.stringify(sorted(seen), null, 2)}\n`;
  if (process.env[UPDATE_SWITCH]) return writeFile(path, text);
  const recorded = await readFile(path, 'utf8').catch(() => '{}');
  expect(JSON.parse(text), `The wire changed. If that is intended, run with ${UPDATE_SWITCH}=1.`).toEqual(
    JSON.parse(recorded),
  );
};

/** Runs the cases of one record, then compares them with it. */
export const recordWire = async (name: string, run: (ask: Ask) => Promise<void>): Promise<void> => {
  const cases: Record<CaseName, WireCase> = {};
  await run(async (server, endpoint, outcome, request = {}) => {
    const { params, query, headers, body, label, depth } = request;
    const authorization =
      endpoint.access === 'operator' || SHOWS_MORE.test(endpoint.id)
        ? { Authorization: `Bearer ${server.operatorToken}` }
        : {};
    const answer = await server.call(endpoint.method, pathOf(endpoint, params, query), body, {
      ...authorization,
      ...headers,
    });
    const caseName = [`${endpoint.id} ${outcome}`, label].filter(Boolean).join(', ');
    expect([caseName, answer.body.code ?? 'success']).toEqual([caseName, outcome]);
    expect(Object.keys(cases)).not.toContain(caseName);
    cases[caseName] = {
      request: `${endpoint.method} ${endpoint.path}`,
      sends: sendsOf(request),
      status: answer.status,
      headers: headersOf(answer.headers),
      body: fieldsOf(answer.body, depth),
    };
    return answer;
  });
  await compareWithRecord(name, cases);
};

/** Every record, by its name. */
export const readRecords = async (): Promise<Record<string, Record<string, unknown>>> => {
  const files = (await readdir(DIRECTORY)).sort();
  const read = async (file: string) => [
    file.replace(/\.json$/, ''),
    JSON.parse(await readFile(join(DIRECTORY, file), 'utf8')),
  ];
  return Object.fromEntries(await Promise.all(files.map(read)));
};
