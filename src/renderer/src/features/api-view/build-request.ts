import { apiView as words } from '../../strings/api-view.ts';
import type { ApiRoute, Parameter, Resolve } from './openapi.ts';
import { sampleOf } from './schema-rows.ts';

/** The values that a person typed into a route's form. */
export interface FormValues {
  /** By {@link fieldKey}. Empty strings aren't sent. */
  readonly fields: Readonly<Record<string, string>>;
  /** JSON. Undefined for a route without a body. */
  readonly body: string | undefined;
}

/** A request as the browser sends it. */
export interface BuiltRequest {
  readonly method: string;
  /** The path and query, starting with `/api`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The request, or each field's problem. `body` is the body's key. */
export type RequestResult =
  | { readonly isValid: true; readonly request: BuiltRequest }
  | { readonly isValid: false; readonly problems: Readonly<Record<string, string>> };

/** Distinguishes fields with the same name. */
export const fieldKey = ({ in: place, name }: Pick<Parameter, 'in' | 'name'>): string => `${place} ${name}`;

/** Browsers remove dot segments from a path, so the request would reach another route. */
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

/** Builds a filled-in form's request. */
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
 * Returns a route's initial form: each required field's example, and the body's first example. `agent` is an agent in
 * the root, for the path.
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
