import { z } from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import {
  CHANGE_HEADER,
  type CsvShape,
  type EndpointShape,
  type FieldsSchema,
  type Method,
  needsBody,
  ROOT_HEADER,
} from '../../shared/api/endpoint.ts';
import { ERROR_CODES, ERRORS, type ErrorCode, errorInfo } from '../../shared/api/errors.ts';
import { answerOf, pathOfExample, type RequestExample } from '../../shared/api/examples/example.ts';
import { examplesOf } from '../../shared/api/examples/index.ts';
import { errorsOf, problemSchema } from '../../shared/api/problem.ts';

const JSON_TYPE = 'application/json';

const NEXT = {
  ask: 'Ask a person.',
  giveUp: 'Give up: another attempt gets the same response.',
  retry: 'Retry the same request later. If Retry-After is sent, wait that many seconds.',
  change: 'Read the sentence in `error`, change the request, and send it again.',
} as const;

/** Returns each error code's meaning and next step, for the document's `x-errors`. */
const errorTable = () =>
  Object.fromEntries(
    ERROR_CODES.map((code) => {
      const {
        status,
        retryable,
        title = 'Something went wrong inside dot-mi',
        advice,
        next,
      } = errorInfo(code);
      const step = NEXT[next ?? (retryable ? 'retry' : 'change')];
      return [code, { status, title, next: advice ?? step, retryable }];
    }),
  );

/** Returns the schema of these errors' body, with their additional fields. */
const problemBody = (codes: readonly ErrorCode[]): z.ZodType => {
  const shape = Object.assign({}, ...codes.map((code) => errorInfo(code).details?.partial().shape));
  return Object.keys(shape).length === 0 ? problemSchema : problemSchema.and(z.looseObject(shape));
};

const ERROR_HEADERS = {
  retryAfter: {
    'Retry-After': {
      description: 'Seconds to wait before trying again. Only some codes include it.',
      schema: { type: 'integer' as const, minimum: 1 },
    },
  },
  authenticate: {
    'WWW-Authenticate': { description: 'Always `Bearer`.', schema: { type: 'string' as const } },
  },
} as const;

const errorHeadersOf = (status: number, codes: readonly ErrorCode[]) => {
  if (status === 401) return ERROR_HEADERS.authenticate;
  const waits = codes.some((code) => errorInfo(code).details?.shape.retryAfterSeconds !== undefined);
  return waits || status === 503 ? ERROR_HEADERS.retryAfter : undefined;
};

/** Returns the response for errors that share a status. */
const errorResponse = (status: number, codes: readonly ErrorCode[]) => {
  const headers = errorHeadersOf(status, codes);
  return {
    description: `${codes.map((code) => `\`${code}\``).join(', ')}. See \`x-errors\`.`,
    ...(headers ? { headers } : {}),
    content: { [JSON_TYPE]: { schema: problemBody(codes) } },
  };
};

/**
 * Creates the error responses that operations share. Call `refsOf` for each operation's codes, and then read
 * `components`.
 */
const createErrorResponses = () => {
  const components: Record<string, ReturnType<typeof errorResponse>> = {};
  const names = new Map<string, string>();
  return {
    components,
    refsOf(codes: readonly ErrorCode[]): Record<string, { $ref: string }> {
      const byStatus = Map.groupBy(
        ERROR_CODES.filter((code) => codes.includes(code)),
        (code) => ERRORS[code].status,
      );
      return Object.fromEntries(
        [...byStatus].map(([status, group]) => {
          const key = group.join(' ');
          const name =
            names.get(key) ?? (group.length <= 2 ? group.join('.') : `Error${status}.${names.size}`);
          names.set(key, name);
          components[name] ??= errorResponse(status, group);
          return [String(status), { $ref: `#/components/responses/${name}` }];
        }),
      );
    },
  };
};

/** Examples in OpenAPI's format: by name, each with a title. */
type NamedExamples = Record<string, { summary: string; value: unknown }>;

const keyOf = ({ title }: RequestExample): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const named = (examples: readonly RequestExample[], show: (each: RequestExample) => unknown): NamedExamples =>
  Object.fromEntries(
    examples.flatMap((each) => {
      const value = show(each);
      return value === undefined ? [] : [[keyOf(each), { summary: each.title, value }]];
    }),
  );

/** The parts of an operation that get examples. */
interface ExampledOperation {
  parameters?: readonly { readonly name?: string; readonly in?: string; example?: unknown }[];
  requestBody?: { content?: Record<string, { examples?: NamedExamples }> };
  responses?: Record<string, { content?: Record<string, { examples?: NamedExamples }> }>;
  'x-examples'?: readonly unknown[];
}

const PARTS = { path: 'params', query: 'query', header: 'headers' } as const;

const isPart = (place: string | undefined): place is keyof typeof PARTS =>
  place !== undefined && Object.hasOwn(PARTS, place);

/**
 * Adds an endpoint's examples to its operation: one to each parameter, and all to the bodies of the request and
 * response. OpenAPI can't show an entire request, so `x-examples` holds title, path, headers and body.
 */
const addExamples = (operation: ExampledOperation, { id, success }: EndpointShape): void => {
  const examples = examplesOf(id);
  if (examples.length === 0) return;
  for (const parameter of operation.parameters ?? []) {
    if (!isPart(parameter.in) || parameter.name === undefined) continue;
    const part = PARTS[parameter.in];
    const using = examples.find((each) => each[part]?.[parameter.name ?? ''] !== undefined);
    if (using) parameter.example = using[part]?.[parameter.name];
  }
  const sent = operation.requestBody?.content?.['application/json'];
  if (sent) sent.examples = named(examples, ({ body }) => body);
  const jsonContent = operation.responses?.[String(success.status)]?.content?.['application/json'];
  if (jsonContent) jsonContent.examples = named(examples, answerOf);
  operation['x-examples'] = examples.map((each) => ({
    title: each.title,
    path: pathOfExample(each),
    ...(each.headers ? { headers: each.headers } : {}),
    ...(each.body === undefined ? {} : { body: each.body }),
  }));
};

const eventStreamContent = (events: NonNullable<EndpointShape['events']>) => ({
  'text/event-stream': {
    schema: z.string().meta({
      description: `Events: ${Object.keys(events).join(', ')}. Each event’s data is JSON. See \`x-events\`.`,
      contentMediaType: 'application/json',
      contentSchema: { anyOf: Object.keys(events).map(eventRef) },
    }),
  },
});

// OpenAPI 3.1 can't describe an event's data, so it's in the components, and `x-events` points there.
const eventComponent = (name: string) => `Event-${name}`;
const eventRef = (name: string) => ({ $ref: `#/components/schemas/${eventComponent(name)}` });

const eventComponents = (endpoints: readonly EndpointShape[]) =>
  Object.fromEntries(
    endpoints.flatMap(({ events }) =>
      Object.entries(events ?? {}).map(([name, schema]) => [eventComponent(name), schema] as const),
    ),
  );

const csvSchema = ({ columns }: CsvShape) =>
  z.string().meta({
    description: `A header row, then one row for each group. The columns are ${columns.join(', ')}.`,
  });

const ROOT_FIELDS: FieldsSchema = z.object({
  [ROOT_HEADER]: z
    .string()
    .optional()
    .describe('The `rootId` of GET /api/health. The server refuses the request if it manages another root.'),
});

const CONDITION_FIELDS: FieldsSchema = z.object({
  'if-none-match': z
    .string()
    .optional()
    .describe('The ETag of a response that the client has. If nothing has changed, the response is 304.'),
});

const RESPONSE_ETAG = {
  ETag: {
    description: 'A strong ETag of the response, for If-None-Match.',
    schema: { type: 'string' as const },
  },
};

const RESPONSE_CHANGE = {
  [CHANGE_HEADER]: {
    description:
      'The id of the change in the history, for `POST /api/changes/:change/undo`. Absent if nothing changed, or if the change can’t be undone.',
    schema: { type: 'string' as const },
  },
};
const NOT_MODIFIED = { description: 'Nothing has changed. There is no body.', headers: RESPONSE_ETAG };

const headersOf = ({ headers, ofRoot, success }: EndpointShape): FieldsSchema | undefined => {
  const all = [ofRoot ? ROOT_FIELDS : [], success.conditional ? CONDITION_FIELDS : [], headers ?? []].flat();
  return all.length === 0 ? undefined : z.object(Object.assign({}, ...all.map(({ shape }) => shape)));
};

/** What a document depends on. */
interface ServerFacts {
  readonly version: string;
  /** True if ordinary routes need a token. */
  readonly asksForToken: boolean;
}

/**
 * Returns one entry per way to authenticate. For an agent key, the roles list the scopes, any one of which is enough.
 */
const securityOf = (
  { access, keys = 'none', ownAgent = false }: EndpointShape,
  { asksForToken }: ServerFacts,
) => {
  if (access === 'open') return [];
  const scopes = keys === 'none' ? [] : keys;
  const scheme = ownAgent ? 'ownAgentKey' : 'agentKey';
  // An empty entry means that no token is needed.
  const main = access === 'api' && !asksForToken ? {} : { [access]: [] };
  return [main, ...scopes.map((scope) => ({ [scheme]: [scope] }))];
};

type ErrorRefs = ReturnType<typeof createErrorResponses>['refsOf'];

const tagOf = ({ id }: EndpointShape) => id.split('.')[0] ?? id;

const operationOf = (
  endpoint: EndpointShape,
  facts: ServerFacts,
  errorRefs: ErrorRefs,
): ZodOpenApiOperationObject => {
  const { params, query, body, success, events } = endpoint;
  const headers = headersOf(endpoint);
  return {
    operationId: endpoint.id,
    summary: endpoint.summary,
    description: endpoint.description ?? `${endpoint.summary}.`,
    tags: [tagOf(endpoint)],
    security: securityOf(endpoint, facts),
    requestParams: {
      ...(params ? { path: params } : {}),
      ...(query ? { query } : {}),
      ...(headers ? { header: headers } : {}),
    },
    ...(body
      ? { requestBody: { required: needsBody(endpoint), content: { [JSON_TYPE]: { schema: body } } } }
      : {}),
    responses: {
      [String(success.status)]: {
        description: success.description ?? endpoint.summary,
        ...(success.headers || success.conditional || endpoint.records
          ? {
              headers: {
                ...(success.conditional ? RESPONSE_ETAG : {}),
                ...(endpoint.records ? RESPONSE_CHANGE : {}),
                ...Object.fromEntries(
                  Object.entries(success.headers ?? {}).map(([name, { description }]) => [
                    name,
                    { description, schema: { type: 'string' as const } },
                  ]),
                ),
              },
            }
          : {}),
        content: events
          ? eventStreamContent(events)
          : {
              [JSON_TYPE]: { schema: success.body },
              ...(success.text
                ? {
                    'text/plain': {
                      schema: z
                        .string()
                        .meta({ description: 'The same as the JSON, with one item per line.' }),
                    },
                  }
                : {}),
              ...(success.csv ? { 'text/csv': { schema: csvSchema(success.csv) } } : {}),
            },
      },
      ...(success.conditional ? { 304: NOT_MODIFIED } : {}),
      ...errorRefs(errorsOf(endpoint)),
    },
    ...(events
      ? { 'x-events': Object.fromEntries(Object.keys(events).map((name) => [name, eventRef(name)])) }
      : {}),
  };
};

const pathOf = ({ path }: EndpointShape) => path.replaceAll(/:(\w+)/g, '{$1}');
const methodOf = ({ method }: EndpointShape) => method.toLowerCase() as Lowercase<Method>;

/** Omits the long pattern of a time, because its format means the same. */
const withoutTimePattern: CreateDocumentOptions['override'] = ({ jsonSchema }) => {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
};

const API_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description: 'API_TOKEN, or the operator token.',
} as const;

/** Creates the endpoints' OpenAPI 3.1 document, for `GET /api/openapi.json`. */
export const createOpenApiDocument = (endpoints: readonly EndpointShape[], facts: ServerFacts) => {
  const paths: ZodOpenApiPathsObject = {};
  const errors = createErrorResponses();
  for (const endpoint of endpoints) {
    const path = pathOf(endpoint);
    paths[path] = { ...paths[path], [methodOf(endpoint)]: operationOf(endpoint, facts, errors.refsOf) };
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'dot-mi Desktop',
        version: facts.version,
        description:
          'Manage the agents of a dot-mi root. Routes return JSON unless a response lists another content type. Every error is a `Problem`. ' +
          '`x-errors` says what to do next for each code. Each operation’s `x-examples` contains complete requests, which a test runs.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name, description: `Routes for ${name}.` })),
      paths,
      'x-errors': errorTable(),
      components: {
        responses: errors.components,
        schemas: eventComponents(endpoints),
        securitySchemes: {
          ...(facts.asksForToken ? { api: API_SCHEME } : {}),
          operator: {
            type: 'http',
            scheme: 'bearer',
            description: 'The operator token. Only the operator has it. Ask them, and don’t look for it.',
          },
          agentKey: { type: 'http', scheme: 'bearer', description: 'An agent key with this scope.' },
          ownAgentKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'A key that belongs to the agent in the path and has this scope.',
          },
        },
      },
    },
    { override: withoutTimePattern },
  );
  for (const endpoint of endpoints) {
    const operation = document.paths?.[pathOf(endpoint)]?.[methodOf(endpoint)];
    if (operation) addExamples(operation as Parameters<typeof addExamples>[0], endpoint);
  }
  return document;
};
