import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { getOpenApi } from '../../../../shared/api/openapi.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { type ReadStatus, readStatus } from '../../api/read-status.ts';

/** An unparsed object in the OpenAPI document. */
export type Node = Readonly<Record<string, unknown>>;

/** Follows a document's `$ref`s. Returns an empty object if it can't. */
export type Resolve = (node: unknown) => Node;

/** The limit for chained references. A document can also contain a cycle. */
const MAX_HOPS = 20;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Resolves a JSON pointer (RFC 6901) in a URI fragment, such as `#/components/schemas/Problem`. */
const lookUp = (document: unknown, ref: string): unknown => {
  if (!ref.startsWith('#/')) return undefined;
  let found = document;
  for (const part of ref.slice(2).split('/')) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    found =
      (isNode(found) || Array.isArray(found)) && Object.hasOwn(found, name)
        ? found[name as never]
        : undefined;
  }
  return found;
};

/** Creates a document's {@link Resolve}. Fields next to a `$ref` override those it points to. */
export const createResolve =
  (document: unknown): Resolve =>
  (node) => {
    let found = node;
    let beside: Node = {};
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      if (!isNode(found)) return beside;
      const { $ref, ...fields } = found;
      beside = { ...fields, ...beside };
      if (typeof $ref !== 'string') return beside;
      found = lookUp(document, $ref);
    }
    return beside;
  };

/** A field of a request's path, query or headers. */
export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
  /** The accepted values, if they're a short list. */
  readonly choices: readonly string[];
  readonly example: string | undefined;
}

/** An example of a body. */
export interface BodyExample {
  readonly title: string;
  readonly value: unknown;
}

/** A body with its media type. */
export interface Body {
  readonly type: string;
  readonly schema: unknown;
  readonly examples: readonly BodyExample[];
}

/** A route's response with one status. */
export interface ApiResponse {
  readonly status: string;
  readonly description: string;
  readonly headers: readonly { readonly name: string; readonly description: string }[];
  readonly bodies: readonly Body[];
}

/** A route in the document. */
export interface ApiRoute {
  readonly id: string;
  readonly method: string;
  /** With `{name}` for params. */
  readonly path: string;
  /** The feature that the route belongs to. */
  readonly tag: string;
  readonly summary: string;
  readonly description: string | undefined;
  /**
   * `open`: it needs no token. `api`: this server requires a token. `operator`: for the operator, and for agent keys
   * with one of `scopes`.
   */
  readonly access: 'open' | 'api' | 'operator';
  /** An agent key needs one of these scopes. Empty if agent keys have no access. */
  readonly scopes: readonly string[];
  /** True if the key must belong to the agent in the path. */
  readonly isOwnAgent: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly responses: readonly ApiResponse[];
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const PLACES = ['path', 'query', 'header'] as const;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const entries = (value: unknown): [string, unknown][] => (isNode(value) ? Object.entries(value) : []);

const inField = (value: unknown): string | undefined =>
  value === undefined || value === null
    ? undefined
    : typeof value === 'string'
      ? value
      : JSON.stringify(value);

const parameterOf = (given: unknown, resolve: Resolve): Parameter | undefined => {
  const parameter = resolve(given);
  const schema = resolve(parameter.schema);
  const place = PLACES.find((one) => one === parameter.in);
  const name = text(parameter.name);
  if (!place || name === undefined) return undefined;
  const example = parameter.example ?? resolve(Object.values(resolve(parameter.examples))[0]).value;
  return {
    in: place,
    name,
    isRequired: parameter.required === true,
    description: text(parameter.description) ?? text(schema.description),
    choices: list(schema.enum).flatMap((one) => inField(one) ?? []),
    example: inField(example ?? list(schema.examples)[0]),
  };
};

const bodiesOf = (content: unknown, resolve: Resolve): Body[] =>
  entries(content).map(([type, media]) => {
    const { schema, example, examples } = resolve(media);
    const named = entries(examples).map(([name, given]) => {
      const { summary, value } = resolve(given);
      return { title: text(summary) ?? name, value };
    });
    return {
      type,
      schema,
      examples: example === undefined ? named : [{ title: '', value: example }, ...named],
    };
  });

const responseOf = (status: string, given: unknown, resolve: Resolve): ApiResponse => {
  const { description, headers, content } = resolve(given);
  return {
    status,
    description: text(description) ?? '',
    headers: entries(headers).map(([name, header]) => ({
      name,
      description: text(resolve(header).description) ?? '',
    })),
    bodies: bodiesOf(content, resolve),
  };
};

const accessOf = (security: unknown): Pick<ApiRoute, 'access' | 'scopes' | 'isOwnAgent'> => {
  const ways = list(security).flatMap(entries);
  const names = ways.map(([name]) => name);
  // An empty entry means that no token is needed.
  const isOpen = names.length === 0 || list(security).some((way) => entries(way).length === 0);
  const scopes = ways.flatMap(([, roles]) => list(roles).flatMap((role) => text(role) ?? []));
  return {
    access: isOpen ? 'open' : names.includes('api') ? 'api' : 'operator',
    scopes: [...new Set(scopes)],
    isOwnAgent: names.includes('ownAgentKey'),
  };
};

/** Reads the routes of an OpenAPI 3.1 document, in its order. Skips invalid parts. */
export const routesOf = (document: unknown, resolve: Resolve): ApiRoute[] => {
  const { paths, security } = resolve(document);
  return entries(paths).flatMap(([path, given]) => {
    const item = resolve(given);
    return METHODS.filter((method) => isNode(item[method])).map((method) => {
      const operation = resolve(item[method]);
      const parameters = [...list(item.parameters), ...list(operation.parameters)];
      const id = text(operation.operationId) ?? `${method} ${path}`;
      return {
        id,
        method: method.toUpperCase(),
        path,
        tag: text(list(operation.tags)[0]) ?? '',
        summary: text(operation.summary) ?? id,
        description: text(operation.description),
        ...accessOf(operation.security ?? security),
        parameters: parameters.flatMap((parameter) => parameterOf(parameter, resolve) ?? []),
        body: bodiesOf(resolve(operation.requestBody).content, resolve)[0],
        responses: entries(operation.responses).map(([status, response]) =>
          responseOf(status, response, resolve),
        ),
      };
    });
  });
};

const documentQuery = () =>
  queryOptions({
    queryKey: keys.openApi,
    queryFn: ({ signal }) => call(getOpenApi, { query: {} }, signal),
    // The document changes only with the server's version, and an update makes the event stream reconnect.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The server's routes, and a function that resolves the rest of its document. */
interface ApiDocument {
  readonly routes: readonly ApiRoute[];
  readonly resolve: Resolve;
}

/** Reads the OpenAPI document. */
export const useApiDocument = (): ReadStatus<ApiDocument> => {
  const read = readStatus(useQuery(documentQuery()));
  const document = read.status === 'ready' ? read.data : undefined;
  const data = useMemo(() => {
    const resolve = createResolve(document);
    return { resolve, routes: routesOf(document, resolve) };
  }, [document]);
  return read.status === 'ready' ? { status: 'ready', data } : read;
};
