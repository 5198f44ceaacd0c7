import { useState } from 'react';
import { apiView as words } from '../../strings/api-view.ts';
import { Badge } from '../../ui/badge.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Section } from '../../ui/section.tsx';
import { AnswerView } from './answer-view.tsx';
import { buildRequest, initialValues, type RequestResult } from './build-request.ts';
import { curlText, isBodyInFile, type Sender } from './curl.ts';
import { apiAddress } from './examples.ts';
import type { ApiRoute, Resolve } from './openapi.ts';
import { Prose } from './prose.tsx';
import { RouteAnswers } from './route-answers.tsx';
import { RouteForm } from './route-form.tsx';
import { Method } from './route-list.tsx';
import { SendButton } from './send-button.tsx';
import { Line } from './start-panel.tsx';
import { useSend } from './use-send.ts';

interface RouteDetailsProps {
  readonly route: ApiRoute;
  readonly resolve: Resolve;
  /** An agent of the root, for the form. */
  readonly agent: string | undefined;
}

/** One route: what it is for, a form that tries it, the same as curl, and what it answers. */
export const RouteDetails = ({ route, resolve, agent }: RouteDetailsProps) => {
  const [values, setValues] = useState(() => initialValues(route, resolve, agent));
  const [isChecked, setIsChecked] = useState(false);
  const { sending, send, stop } = useSend();
  const result = buildRequest(route, values);
  const problems = isChecked && !result.isValid ? result.problems : {};
  return (
    <div className="max-w-220 pb-6">
      <div className="flex flex-col gap-2 px-6 py-4">
        <h2 className="min-w-0 text-lg font-semibold">
          <Method method={route.method} /> <span className="font-mono break-all">{route.path}</span>
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
      <AnswerView sending={sending} />
      <Curl key={route.id} route={route} result={result} />
      <RouteAnswers route={route} resolve={resolve} />
    </div>
  );
};

const Access = ({ route: { access, scopes, isOwnAgent } }: { readonly route: ApiRoute }) => {
  const named = scopes.length === 0 ? undefined : words.access.scopes(scopes);
  const keys = named !== undefined && isOwnAgent ? words.access.ownAgent(named) : named;
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
      {result.isValid ? (
        <Line
          text={curlText(result.request, apiAddress(window.location).replace(/\/api$/, ''), sender)}
          copyLabel={words.curl.copy}
        />
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
