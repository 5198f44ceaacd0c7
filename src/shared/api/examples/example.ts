import type { CallOf, EndpointShape } from '../endpoint.ts';
import answers from './answers.json' with { type: 'json' };

/**
 * A request as the documentation shows it. A test sends it to a real server and compares the response with the recorded
 * one. Its ids, times, tokens and addresses are placeholders: see `tests/support/examples.ts`.
 */
export interface RequestExample {
  readonly endpoint: EndpointShape;
  /** What the request does, as a short imperative sentence without a period. */
  readonly title: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** Declares an example. TypeScript checks its parts against the endpoint. */
export const example = <E extends EndpointShape>(
  endpoint: E,
  title: string,
  request: CallOf<E>,
): RequestExample => ({
  endpoint,
  title,
  ...(request as object),
});

/** Returns an example's name in the recorded responses. No two examples share one. */
export const exampleName = ({ endpoint, title }: RequestExample): string => `${endpoint.id}: ${title}`;

/** Returns the recorded body of an example's successful response. Undefined for an event stream. */
export const answerOf = (each: RequestExample): unknown =>
  (answers as Record<string, unknown>)[exampleName(each)];

/** Returns the path of an example's request, with its query. */
export const pathOfExample = ({ endpoint, params = {}, query = {} }: RequestExample): string => {
  const path = endpoint.path.replaceAll(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  ).toString();
  return search === '' ? path : `${path}?${search}`;
};
