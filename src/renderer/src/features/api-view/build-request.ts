import { apiView as words } from '../../strings/api-view.ts';
import type { ApiRoute, Parameter, Resolve } from './openapi.ts';
import { sampleOf } from './schema-rows.ts';

/** What a person typed into the form of a route. */
export interface FormValues {
  /** By {@link fieldKey}. An empty text isn't sent. */
  readonly fields: Readonly<Record<string, string>>;
  /** JSON. Undefined for a route without a body. */
  readonly body: string | undefined;
}

/** A request as the browser sends it. */
export interface BuiltRequest {
  readonly method: string;
  /** The path with the query, from `/api`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The request, or what is wrong with a field. `body` is the key of the body. */
export type RequestResult =
  | { readonly isValid: true; readonly request: BuiltRequest }
  | { readonly isValid: false; readonly problems: Readonly<Record<string, string>> };

/** Tells fields of the same name apart. */
export const fieldKey = ({ in: place, name }: Pick<Parameter, 'in' | 'name'>): string => `${place} ${name}`;

/** Browsers remove these from a path, so the request would go to another route. */
const isDots = (value: string): boolean => /^(\.|%2e){1,2}$/i.test(value);

const problemOf = ({ in: place, isRequired }: Parameter, value: string): string | undefined => {
  if (value === '') return isRequired ? words.form.missing : undefined;
  if (place === 'path' && isDots(value)) return words.form.dots;
  // fetch accepts no other characters in a header.
  if (place === 'header' && /[^\t\x20-\x7e\x80-\xff]/.test(value)) return words.form.header;
  return undefined;
};

const bodyProblem = (body: string | undefined): string | undefined => {
  if (body === undefined) return undefined;
  try {
    JSON.parse(body);
    return undefined;
  } catch {
    return words.form.json;
  }
};

/** Builds the request of a filled form. */
export const buildRequest = (route: ApiRoute, { fields, body }: FormValues): RequestResult => {
  const values = route.parameters.map((parameter) => ({
    ...parameter,
    value: fields[fieldKey(parameter)] ?? '',
  }));
  const problems = Object.fromEntries(
    [
      ...values.map((field) => [fieldKey(field), problemOf(field, field.value)] as const),
      ['body', bodyProblem(body)] as const,
    ].flatMap(([key, problem]) => (problem === undefined ? [] : [[key, problem]])),
  );
  if (Object.keys(problems).length > 0) return { isValid: false, problems };
  const sent = (place: Parameter['in']) =>
    values
      .filter((field) => field.in === place && field.value !== '')
      .map(({ name, value }) => [name, value] as const);
  const path = sent('path').reduce(
    (sum, [name, value]) => sum.replace(`{${name}}`, () => encodeURIComponent(value)),
    route.path,
  );
  const query = new URLSearchParams(sent('query').map(([name, value]) => [name, value])).toString();
  return {
    isValid: true,
    request: {
      method: route.method,
      url: query === '' ? path : `${path}?${query}`,
      headers: {
        ...Object.fromEntries(sent('header')),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
    },
  };
};

/**
 * The form of a route as it opens: the example of each required field, and the body's first example. `agent` is an
 * agent of the root, for the path.
 */
export const initialValues = (route: ApiRoute, resolve: Resolve, agent: string | undefined): FormValues => {
  const [example] = route.body?.examples ?? [];
  return {
    fields: Object.fromEntries(
      route.parameters.flatMap((parameter) => {
        const isAgent = parameter.in === 'path' && parameter.name === 'id';
        const value = isAgent ? (agent ?? parameter.example) : parameter.example;
        return parameter.isRequired && value !== undefined ? [[fieldKey(parameter), value]] : [];
      }),
    ),
    body:
      route.body && JSON.stringify(example ? example.value : sampleOf(route.body.schema, resolve), null, 2),
  };
};
