import type { EndpointShape } from '../../shared/api/endpoint.ts';
import { answerOf, pathOfExample, type RequestExample } from '../../shared/api/examples/example.ts';
import { examplesOf } from '../../shared/api/examples/index.ts';

/** Examples as OpenAPI holds them: by name, each with a title. */
type NamedExamples = Record<string, { summary: string; value: unknown }>;

const keyOf = ({ title }: RequestExample): string => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

const named = (examples: readonly RequestExample[], show: (each: RequestExample) => unknown): NamedExamples =>
  Object.fromEntries(
    examples.flatMap((each) => {
      const value = show(each);
      return value === undefined ? [] : [[keyOf(each), { summary: each.title, value }]];
    }),
  );

/** An operation of a document, as far as its examples concern it. */
interface Operation {
  parameters?: readonly { readonly name?: string; readonly in?: string; example?: unknown }[];
  requestBody?: { content?: Record<string, { examples?: NamedExamples }> };
  responses?: Record<string, { content?: Record<string, { examples?: NamedExamples }> }>;
  'x-examples'?: readonly unknown[];
}

const PARTS = { path: 'params', query: 'query', header: 'headers' } as const;

const isPart = (place: string | undefined): place is keyof typeof PARTS =>
  place !== undefined && Object.hasOwn(PARTS, place);

/**
 * Adds an endpoint's examples to its operation: one to each parameter, and all to the bodies of the request and the
 * answer. OpenAPI can't show a whole request, so `x-examples` holds them: title, path, headers and body.
 */
export const addExamples = (operation: Operation, { id, success }: EndpointShape): void => {
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
  const answered = operation.responses?.[String(success.status)]?.content?.['application/json'];
  if (answered) answered.examples = named(examples, answerOf);
  operation['x-examples'] = examples.map((each) => ({
    title: each.title,
    path: pathOfExample(each),
    ...(each.headers ? { headers: each.headers } : {}),
    ...(each.body === undefined ? {} : { body: each.body }),
  }));
};
