import { AppError } from '../platform/app-error.ts';

/** The parts of an OpenAPI document that {@link partOf} reads. */
export interface OpenApiDocument extends Record<string, unknown> {
  readonly openapi: string;
  readonly paths?: object | undefined;
  readonly tags?: readonly { readonly name: string }[] | undefined;
  readonly components?: { readonly securitySchemes?: unknown } | undefined;
  readonly 'x-errors'?: object | undefined;
}

const REF = /^#\/components\/(\w+)\/(.+)$/;

/** Collects every `$ref` in any value. */
const collectRefs = (value: unknown, refs: Set<string>): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inside] of Object.entries(value)) {
    if (name === '$ref' && typeof inside === 'string') refs.add(inside);
    else collectRefs(inside, refs);
  }
};

const tagsOf = (paths: Readonly<Record<string, object>>): Set<string> =>
  new Set(
    Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ tags = [] }: { tags?: string[] }) => tags),
  );

/**
 * Returns the part of the document with the routes whose path begins with `prefix`, and the components they refer to.
 * Params can be `{id}`, as in the document, or `:id`. Throws `invalid_request` if no route matches.
 */
export const partOf = <D extends OpenApiDocument>(document: D, prefix: string): D => {
  const start = prefix.replaceAll(/:(\w+)/g, '{$1}');
  const paths = Object.fromEntries(
    Object.entries<object>({ ...document.paths }).filter(([path]) => path.startsWith(start)),
  );
  if (Object.keys(paths).length === 0) {
    const message = 'No route begins with this path. GET /api lists the routes.';
    throw new AppError('invalid_request', message, { issues: [{ path: 'query.path', message }] });
  }

  const refs = new Set<string>();
  collectRefs(paths, refs);
  const { securitySchemes, ...all } = document.components ?? {};
  const components: Record<string, Record<string, unknown>> = {};
  // The set grows during the loop, because components refer to others.
  for (const ref of refs) {
    const [, kind = '', name = ''] = REF.exec(ref) ?? [];
    const found = (all as Record<string, Record<string, unknown> | undefined>)[kind]?.[name];
    if (found === undefined) continue;
    components[kind] = { ...components[kind], [name]: found };
    collectRefs(found, refs);
  }

  const tags = tagsOf(paths);
  const text = JSON.stringify({ paths, components });
  // Descriptions contain the codes of their errors.
  const errors = Object.entries({ ...document['x-errors'] }).filter(([code]) => text.includes(`\`${code}\``));
  return {
    ...document,
    tags: document.tags?.filter(({ name }) => tags.has(name)),
    paths,
    'x-errors': Object.fromEntries(errors),
    components: { ...components, securitySchemes },
  };
};
