import { z } from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import {
  type CsvShape,
  type EndpointShape,
  type FieldsSchema,
  type Method,
  ROOT_HEADER,
} from '../../shared/api/endpoint.ts';
import { errorsOf } from '../../shared/api/problem.ts';
import { createErrorResponses, errorTable } from './openapi-errors.ts';
import { addExamples } from './openapi-examples.ts';

const JSON_TYPE = 'application/json';

const eventStreamContent = (events: NonNullable<EndpointShape['events']>) => ({
  'text/event-stream': {
    schema: z.string().meta({
      description: `Events: ${Object.keys(events).join(', ')}. The data of each is JSON. See \`x-events\`.`,
      contentMediaType: 'application/json',
      contentSchema: { anyOf: Object.keys(events).map(eventRef) },
    }),
  },
});

// OpenAPI 3.1 can't describe an event's data, so it is in the components and `x-events` points there.
const eventComponent = (name: string) => `Event-${name}`;
const eventRef = (name: string) => ({ $ref: `#/components/schemas/${eventComponent(name)}` });

const eventComponents = (endpoints: readonly EndpointShape[]) =>
  Object.fromEntries(
    endpoints.flatMap(({ events }) =>
      Object.entries(events ?? {}).map(([name, schema]) => [eventComponent(name), schema] as const),
    ),
  );

const csvSchema = ({ columns }: CsvShape) =>
  z.string().meta({ description: `A header row, and a row for each group: ${columns.join(', ')}.` });

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
    .describe('The ETag of an answer that the client has. If nothing has changed, the answer is 304.'),
});

const ANSWER_ETAG = {
  ETag: {
    description: 'A strong ETag of the answer, for If-None-Match.',
    schema: { type: 'string' as const },
  },
};

const NOT_MODIFIED = { description: 'Nothing has changed. There is no body.', headers: ANSWER_ETAG };

const headersOf = ({ headers, ofRoot, success }: EndpointShape): FieldsSchema | undefined => {
  const all = [ofRoot ? ROOT_FIELDS : [], success.conditional ? CONDITION_FIELDS : [], headers ?? []].flat();
  return all.length === 0 ? undefined : z.object(Object.assign({}, ...all.map(({ shape }) => shape)));
};

/** What a document says about its server. */
interface ServerFacts {
  readonly version: string;
  /** Whether ordinary routes need a token. */
  readonly asksForToken: boolean;
}

/** Each entry is one way in. The roles of an agent key are the scopes of which it needs one. */
const securityOf = (
  { access, keys = 'none', ownAgent = false }: EndpointShape,
  { asksForToken }: ServerFacts,
) => {
  if (access === 'open') return [];
  const scopes = keys === 'none' ? [] : keys;
  const scheme = ownAgent ? 'ownAgentKey' : 'agentKey';
  // An empty entry: no token works too.
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
    ...(body ? { requestBody: { required: true, content: { [JSON_TYPE]: { schema: body } } } } : {}),
    responses: {
      [String(success.status)]: {
        description: success.description ?? endpoint.summary,
        ...(success.headers || success.conditional
          ? {
              headers: {
                ...(success.conditional ? ANSWER_ETAG : {}),
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
                ? { 'text/plain': { schema: z.string().meta({ description: 'One line each.' }) } }
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

/** Leaves out the long pattern of a time, which its format says too. */
const withoutTimePattern: CreateDocumentOptions['override'] = ({ jsonSchema }) => {
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
};

const API_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description: 'API_TOKEN, or the operator token.',
} as const;

/** Creates the OpenAPI 3.1 document of the endpoints, for `GET /api/openapi.json`. */
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
          'Manage the agents of a dot-mi root. Every route returns JSON, and every error is a `Problem`. ' +
          '`x-errors` says for each code what to do next. `x-examples` of an operation has whole requests, and a test runs them.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      tags: [...new Set(endpoints.map(tagOf))].map((name) => ({ name, description: `Routes of ${name}.` })),
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
            description: "The operator token. Only the operator has it: ask them, don't look for it.",
          },
          agentKey: { type: 'http', scheme: 'bearer', description: 'An agent key with this scope.' },
          ownAgentKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'A key of the agent in the path, with this scope.',
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
