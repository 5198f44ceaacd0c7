import { useState } from 'react';
import { apiView as words } from '../../strings/api-view.ts';
import { common } from '../../strings/common.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Choice } from '../../ui/choice.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Question } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failures.tsx';
import { ScrollBlock } from '../../ui/scroll-block.tsx';
import { Section } from '../../ui/section.tsx';
import { type BuiltRequest, buildRequest, initialValues, type RequestResult } from './build-request.ts';
import { apiAddress, curlText, isBodyInFile, type Sender } from './curl.ts';
import { formatBody, formatBytes, formatDuration } from './format-response.ts';
import type { ApiRoute, Resolve } from './openapi.ts';
import { RouteForm } from './route-form.tsx';
import { MethodLabel } from './route-list.tsx';
import { Prose, RouteResponses } from './route-responses.tsx';
import { type ReadResponse, type Sending, useSendRequest } from './use-send.ts';

/** The response to a route's last request. */
const ResponseView = ({ sending }: { readonly sending: Sending }) => (
  <>
    {/* Always rendered, so that screen readers announce its content. */}
    <div role="status" className="sr-only">
      {sending.state === 'done' &&
        words.response.status(sending.response.status, sending.response.statusText)}
    </div>
    {sending.state === 'done' && <Done response={sending.response} />}
    {sending.state === 'failed' && (
      <Section heading={words.response.heading}>
        <Failure title={words.response.failed} message={sending.message} />
      </Section>
    )}
  </>
);

const Done = ({ response }: { readonly response: ReadResponse }) => {
  const { status, statusText, headers, type, bytes, durationMs, end } = response;
  const { text, isCut } = formatBody(response.text, type);
  const note =
    end === 'stream' ? words.response.stream : isCut || end === 'cut' ? words.response.cut : undefined;
  return (
    <Section
      heading={words.response.heading}
      aside={
        <>
          <Badge tone={status < 400 ? 'ok' : 'danger'}>{words.response.status(status, statusText)}</Badge>
          <span className="text-sm text-muted tabular-nums">
            {formatDuration(durationMs)} · {formatBytes(bytes)}
          </span>
        </>
      }
    >
      <details className="text-sm">
        <summary className="w-fit cursor-default rounded text-muted hover:text-ink">
          {words.response.headers(headers.length)}
        </summary>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 pt-1.5 font-mono">
          {headers.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="break-all">{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      {text === '' ? (
        <p className="text-muted">{words.response.empty}</p>
      ) : (
        <div className="relative min-w-0 rounded-md border border-line bg-sunken">
          <ScrollBlock label={words.response.body} className="max-h-100">
            <pre className="pr-8 font-mono text-sm break-all whitespace-pre-wrap">{text}</pre>
          </ScrollBlock>
          <div className="absolute top-1.5 right-1.5 rounded-md bg-sunken">
            <CopyButton label={words.response.copy} text={text} />
          </div>
        </div>
      )}
      {note !== undefined && <p className="text-sm text-muted">{note}</p>}
    </Section>
  );
};

/** Reads that return a secret, which the window shows elsewhere only after confirmation. */
const SECRET_READS: ReadonlySet<string> = new Set(['wallet.seed']);

interface SendButtonProps {
  readonly route: ApiRoute;
  /** Undefined while the form isn't valid. */
  readonly request: BuiltRequest | undefined;
  readonly isSending: boolean;
  /** Called on a click while the form isn't valid. */
  readonly onInvalid: () => void;
  readonly onSend: (request: BuiltRequest) => void;
  readonly onStop: () => void;
}

/** Sends a read at once. Asks for confirmation before sending anything that can change data. */
const SendButton = ({ route, request, isSending, onInvalid, onSend, onStop }: SendButtonProps) => {
  const [isAsking, setIsAsking] = useState(false);
  const isWrite = route.method !== 'GET';
  const asks = isWrite || SECRET_READS.has(route.id);
  const press = (): void => {
    if (!request) onInvalid();
    else if (asks) setIsAsking(true);
    else onSend(request);
  };
  const confirm = (): void => {
    setIsAsking(false);
    if (request) onSend(request);
  };
  return (
    <div className="flex gap-2">
      <Button variant="primary" disabled={isSending} onClick={press}>
        {isSending ? words.send.sending : asks ? words.send.ask : words.send.read}
      </Button>
      {isSending && <Button onClick={onStop}>{words.send.stop}</Button>}
      <Question
        open={isAsking}
        onCancel={() => setIsAsking(false)}
        title={words.send.writeTitle(route.method, request?.url ?? route.path)}
        description={isWrite ? words.send.writeHint : words.send.secretHint}
      >
        <Button onClick={() => setIsAsking(false)}>{common.cancel}</Button>
        <Button variant={route.method === 'DELETE' ? 'danger' : 'primary'} onClick={confirm}>
          {words.send.confirm(route.method)}
        </Button>
      </Question>
    </div>
  );
};

interface RouteDetailsProps {
  readonly route: ApiRoute;
  readonly resolve: Resolve;
  /** Any agent in the root, to fill in the form. */
  readonly agent: string | undefined;
}

/** One route: its purpose, a form to try it, the curl command, and its responses. */
export const RouteDetails = ({ route, resolve, agent }: RouteDetailsProps) => {
  const [values, setValues] = useState(() => initialValues(route, resolve, agent));
  const [isChecked, setIsChecked] = useState(false);
  const { sending, send, stop } = useSendRequest();
  const result = buildRequest(route, values);
  const problems = isChecked && !result.isValid ? result.problems : {};
  return (
    <div className="max-w-220 pb-6">
      <div className="flex flex-col gap-2 px-6 py-4">
        <h2 className="min-w-0 text-lg font-semibold">
          <MethodLabel method={route.method} /> <span className="font-mono break-all">{route.path}</span>
        </h2>
        <p className="font-medium">{route.summary}</p>
        {route.description !== undefined && (
          <p className="text-pretty text-muted">
            <Prose text={route.description} />
          </p>
        )}
        <Access route={route} />
      </div>
      <Section heading={words.form.heading}>
        <RouteForm route={route} values={values} problems={problems} onChange={setValues} />
        <SendButton
          route={route}
          request={result.isValid ? result.request : undefined}
          isSending={sending.state === 'sending'}
          onInvalid={() => setIsChecked(true)}
          onSend={send}
          onStop={stop}
        />
      </Section>
      <ResponseView sending={sending} />
      <Curl key={route.id} route={route} result={result} />
      <RouteResponses route={route} resolve={resolve} />
    </div>
  );
};

const Access = ({ route: { access, scopes, isOwnAgent } }: { readonly route: ApiRoute }) => {
  const keys = scopes.length === 0 ? undefined : words.access.scopes(scopes, isOwnAgent);
  if (access === 'operator')
    return (
      <Callout tone="warn" title={keys === undefined ? words.access.operator : words.access.operatorOrKey}>
        <p>{keys === undefined ? words.access.operatorHint : words.access.operatorOrKeyHint(keys)}</p>
      </Callout>
    );
  return (
    <p className="flex flex-wrap gap-1.5">
      <Badge>{words.access[access]}</Badge>
      {keys !== undefined && <Badge>{keys}</Badge>}
    </p>
  );
};

const sendersOf = ({ access, scopes }: ApiRoute): readonly Sender[] => {
  const keys = scopes.length > 0 ? (['key'] as const) : [];
  if (access === 'open') return ['none', ...keys];
  return access === 'operator' ? ['operator', ...keys] : [...keys, 'operator'];
};

const Curl = ({ route, result }: { readonly route: ApiRoute; readonly result: RequestResult }) => {
  const senders = sendersOf(route);
  const [sender, setSender] = useState<Sender>(senders[0] ?? 'none');
  const body = result.isValid ? result.request.body : undefined;
  const command = result.isValid
    ? curlText(result.request, apiAddress(window.location).replace(/\/api$/, ''), sender)
    : undefined;
  return (
    <Section
      heading={words.curl.heading}
      aside={
        senders.length > 1 && (
          <Choice
            label={words.curl.sender}
            options={senders}
            names={words.curl.senders}
            value={sender}
            onChange={setSender}
          />
        )
      }
    >
      {command !== undefined ? (
        <div className="flex min-w-0 items-start gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
          <code className="min-w-0 flex-1 py-0.5 font-mono text-sm break-all whitespace-pre-wrap">
            {command}
          </code>
          <CopyButton label={words.curl.copy} text={command} />
        </div>
      ) : (
        <p className="text-muted">{words.curl.fix}</p>
      )}
      {sender !== 'none' && <p className="text-sm text-muted">{words.curl[sender]}</p>}
      {body !== undefined && isBodyInFile(body) && (
        <p className="text-sm text-muted">{words.curl.bodyFile}</p>
      )}
    </Section>
  );
};
