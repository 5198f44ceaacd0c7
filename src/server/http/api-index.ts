// Separate from the feature, because code that describes the routes' schemas would obscure the index's content.
import { z } from 'zod';
import type { EndpointShape, FieldsSchema } from '../../shared/api/endpoint.ts';
import type { ApiIndex } from '../../shared/api/openapi.ts';

/** SECURITY: pipes the key to curl, because every user of the computer can see curl's arguments. */
const WITH_KEY = `printf 'Authorization: Bearer %s' "$DOT_MI_KEY" | curl -sH @- "$URL".`;

/** Parameters that agents seldom need. */
const UNNAMED: ReadonlySet<string> = new Set([
  'nonce',
  'origin',
  'cursor',
  'limit',
  'cacheReadTokens',
  'cacheWriteTokens',
  'cwd',
  'piVersion',
  'trusted',
  'directory',
  'maxInputTokens',
  'maxOutputTokens',
  'marginPercent',
  'ttlSeconds',
  'holdSeconds',
]);

const isOptional = (schema: unknown) => schema instanceof z.ZodType && schema.safeParse(undefined).success;

const bodyOf = ({ shape }: FieldsSchema): string => {
  const names = Object.entries(shape).flatMap(([name, schema]) =>
    UNNAMED.has(name) ? [] : [isOptional(schema) ? `${name}?` : name],
  );
  return ` {${names.join(', ')}}`;
};

const queryOf = ({ shape }: FieldsSchema): string => {
  const names = Object.keys(shape).filter((name) => !UNNAMED.has(name));
  return names.length === 0 ? '' : `?${names.map((name) => `${name}=`).join('&')}`;
};

const routeOf = ({ method, path, query, body }: EndpointShape): string =>
  `${method} ${path}${query ? queryOf(query) : ''}${body ? bodyOf(body) : ''}`;

/** Creates the index that is the same for every server: one line for each endpoint with a task. */
export const createApiIndex = (
  endpoints: readonly EndpointShape[],
  asksForToken: boolean,
): Omit<ApiIndex, 'address'> => ({
  about: 'dot-mi manages agents and their files, and a wallet in sats. Requests and responses are JSON.',
  token: asksForToken
    ? `Required. Send your agent key: ${WITH_KEY} If you don’t have one, ask the operator.`
    : `Not required. If DOT_MI_KEY is set, send it: ${WITH_KEY}`,
  tasks: Object.fromEntries(
    endpoints.flatMap((endpoint) =>
      endpoint.task === undefined ? [] : [[endpoint.task, routeOf(endpoint)]],
    ),
  ),
  operator:
    'Only the operator can change keys, budgets and settings, or read the wallet’s history. Ask them. Don’t look for a token, and don’t leave out your key to get around a refusal.',
  errors: 'An error is {error, code}: error says what to do, and code is for programs.',
  more: 'GET /api/openapi.json?path=/api/charges has every field, example and error under that path. Extensions, prompts and themes work like skills.',
});
