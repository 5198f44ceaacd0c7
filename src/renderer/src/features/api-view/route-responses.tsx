import { apiView as words } from '../../strings/api-view.ts';
import { Badge } from '../../ui/badge.tsx';
import { ScrollBlock } from '../../ui/scroll-block.tsx';
import { Section } from '../../ui/section.tsx';
import type { ApiResponse, ApiRoute, Body, Resolve } from './openapi.ts';
import { schemaRows } from './schema-rows.ts';

/** Renders text from the OpenAPI document, with code in backticks. */
export const Prose = ({ text }: { readonly text: string }) =>
  text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
      <code key={index} className="font-mono text-[0.95em] break-words">
        {part}
      </code>
    ),
  );

interface RouteResponsesProps {
  readonly route: ApiRoute;
  readonly resolve: Resolve;
}

/** The fields of a route's body and responses, with examples, and its errors. */
export const RouteResponses = ({ route, resolve }: RouteResponsesProps) => (
  <>
    {route.body && (
      <Section heading={words.responses.bodyFields}>
        <Fields body={route.body} resolve={resolve} />
      </Section>
    )}
    <Section heading={words.responses.heading}>
      <ul className="flex flex-col divide-y divide-line">
        {route.responses.map((response) => (
          <ResponseItem key={response.status} response={response} resolve={resolve} />
        ))}
      </ul>
    </Section>
  </>
);

const ResponseItem = ({
  response,
  resolve,
}: {
  readonly response: ApiResponse;
  readonly resolve: Resolve;
}) => {
  const { status, description, headers, bodies } = response;
  const isSuccess = status.startsWith('2');
  return (
    <li className="flex min-w-0 flex-col gap-1.5 py-2">
      <div className="flex min-w-0 items-baseline gap-2">
        <Badge tone={isSuccess ? 'ok' : 'neutral'}>{status}</Badge>
        <p className="min-w-0 flex-1 break-words">
          <Prose text={description} />
        </p>
      </div>
      {headers.length > 0 && (
        <dl className="text-sm">
          {headers.map((header) => (
            <div key={header.name} className="flex gap-2">
              <dt className="shrink-0 font-mono">{header.name}</dt>
              <dd className="min-w-0 text-muted">
                <Prose text={header.description} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {isSuccess &&
        bodies.map((body) => (
          <div key={body.type} className="flex min-w-0 flex-col gap-1.5">
            {bodies.length > 1 && <p className="font-mono text-sm text-muted">{body.type}</p>}
            <Fields body={body} resolve={resolve} />
            <Example body={body} />
          </div>
        ))}
    </li>
  );
};

const Fields = ({ body, resolve }: { readonly body: Body; readonly resolve: Resolve }) => {
  const rows = schemaRows(body.schema, resolve);
  if (rows.length === 0) return <p className="text-sm text-muted">{words.responses.none}</p>;
  return (
    <details className="min-w-0 text-sm" open={rows.length <= 8}>
      <summary className="w-fit cursor-default rounded text-muted hover:text-ink">
        {words.responses.fields(rows.length)}
      </summary>
      <dl className="flex flex-col gap-1 pt-1.5">
        {rows.map(({ path, type, isRequired, description }) => (
          <div key={`${path} ${type}`} className="min-w-0">
            <dt className="flex min-w-0 flex-wrap gap-x-2">
              <span className="min-w-0 font-mono break-all">{path}</span>
              <span className="min-w-0 font-mono break-all text-muted">{type}</span>
              {isRequired && <span className="text-muted">{words.responses.required}</span>}
            </dt>
            {description !== undefined && (
              <dd className="text-muted">
                <Prose text={description} />
              </dd>
            )}
          </div>
        ))}
      </dl>
    </details>
  );
};

const Example = ({ body: { type, examples } }: { readonly body: Body }) => {
  const [example] = examples;
  if (!example) return null;
  const text = type.includes('json') ? JSON.stringify(example.value, null, 2) : String(example.value);
  return (
    <details className="min-w-0 text-sm">
      <summary className="w-fit cursor-default rounded text-muted hover:text-ink">
        {words.responses.example}
      </summary>
      <ScrollBlock
        label={words.responses.example}
        className="mt-1.5 max-h-80 rounded-md border border-line bg-sunken"
      >
        <pre className="font-mono break-all whitespace-pre-wrap">{text}</pre>
      </ScrollBlock>
    </details>
  );
};
