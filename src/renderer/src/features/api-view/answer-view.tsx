import { apiView as words } from '../../strings/api-view.ts';
import { Badge } from '../../ui/badge.tsx';
import { Callout } from '../../ui/callout.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ScrollBlock } from '../../ui/scroll-block.tsx';
import { Section } from '../../ui/section.tsx';
import { formatBody, formatBytes, formatDuration } from './format-answer.ts';
import type { ReadAnswer, Sending } from './use-send.ts';

/** The answer to the last request of a route. */
export const AnswerView = ({ sending }: { readonly sending: Sending }) => (
  <>
    {/* Always there, so that screen readers read out what appears in it. */}
    <div role="status" className="sr-only">
      {sending.state === 'answered' && words.answer.status(sending.answer.status, sending.answer.statusText)}
    </div>
    {sending.state === 'answered' && <Answered answer={sending.answer} />}
    {sending.state === 'failed' && (
      <Section heading={words.answer.heading}>
        <Callout tone="danger" title={words.answer.failed} announce="alert">
          <p>{sending.message}</p>
        </Callout>
      </Section>
    )}
  </>
);

const Answered = ({ answer }: { readonly answer: ReadAnswer }) => {
  const { status, statusText, headers, type, bytes, durationMs, end } = answer;
  const { text, isCut } = formatBody(answer.text, type);
  const note = end === 'stream' ? words.answer.stream : isCut || end === 'cut' ? words.answer.cut : undefined;
  return (
    <Section
      heading={words.answer.heading}
      aside={
        <>
          <Badge tone={status < 400 ? 'ok' : 'danger'}>{words.answer.status(status, statusText)}</Badge>
          <span className="text-sm text-muted tabular-nums">
            {formatDuration(durationMs)} · {formatBytes(bytes)}
          </span>
        </>
      }
    >
      <details className="text-sm">
        <summary className="w-fit cursor-default rounded text-muted hover:text-ink">
          {words.answer.headers(headers.length)}
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
        <p className="text-muted">{words.answer.empty}</p>
      ) : (
        <div className="relative min-w-0 rounded-md border border-line bg-sunken">
          <ScrollBlock label={words.answer.body} className="max-h-100">
            <pre className="pr-8 font-mono text-sm break-all whitespace-pre-wrap">{text}</pre>
          </ScrollBlock>
          <div className="absolute top-1.5 right-1.5 rounded-md bg-sunken">
            <CopyButton label={words.answer.copy} text={text} />
          </div>
        </div>
      )}
      {note !== undefined && <p className="text-sm text-muted">{note}</p>}
    </Section>
  );
};
