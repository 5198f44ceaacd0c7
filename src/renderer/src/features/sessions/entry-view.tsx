import type { ReactNode } from 'react';
import type { SessionEntry, SessionUsage } from '../../../../shared/api/sessions.ts';
import { sessions as words } from '../../strings/sessions.ts';
import { exactTime } from '../../ui/relative-time.ts';
import { costOfEntry } from './cost-text.ts';
import { Cut, Folded, Parts, PlainText, RichText } from './entry-parts.tsx';
import { visible } from './visible-text.ts';

/** One entry of a transcript. */
export const EntryView = ({ entry }: { readonly entry: SessionEntry }) => {
  switch (entry.type) {
    case 'user':
      return (
        <Message entry={entry} role={words.roles.user} isOwn>
          <Parts parts={entry.parts} />
        </Message>
      );
    case 'assistant':
      return (
        <Message entry={entry} role={words.roles.assistant} usage={entry.usage}>
          <Parts parts={entry.parts} />
          {entry.error !== null && <PlainText text={entry.error} tone="text-danger" />}
          {entry.stopReason !== null && words.stopped[entry.stopReason] !== undefined && (
            <p className="text-sm text-danger">{words.stopped[entry.stopReason]}</p>
          )}
        </Message>
      );
    case 'tool_result':
      return (
        <Folded
          title={(entry.isError ? words.failedResult : words.toolResult)(visible(entry.tool))}
          isError={entry.isError}
          aside={<Cost usage={entry.usage} />}
        >
          <Parts parts={entry.parts} isPlain />
        </Folded>
      );
    case 'command':
      return (
        <Folded
          title={words.roles.command}
          detail={`${visible(entry.command)}${entry.exitCode === null ? '' : ` · ${words.exitCode(entry.exitCode)}`}`}
          isError={entry.exitCode !== null && entry.exitCode !== 0}
        >
          <PlainText text={entry.text} />
          <Cut count={entry.cut} />
        </Folded>
      );
    case 'prompt':
      return (
        <Folded title={words.roles.prompt} detail={words.sections(entry.sections.length)}>
          {entry.tools.length > 0 && (
            <p className="text-sm break-words text-muted">{words.tools(entry.tools.map(visible))}</p>
          )}
          {entry.sections.map(({ name, text, cut }) => (
            <div key={name} className="flex flex-col gap-1">
              <p className="text-sm font-medium">{visible(name)}</p>
              <PlainText text={text} />
              <Cut count={cut} />
            </div>
          ))}
        </Folded>
      );
    case 'summary':
      return (
        <Folded title={words.summary[entry.kind]} aside={<Cost usage={entry.usage} />}>
          <RichText text={entry.text} />
          <Cut count={entry.cut} />
        </Folded>
      );
    case 'extension':
      return entry.parts.length === 0 ? (
        <Note>{words.extension(visible(entry.name))}</Note>
      ) : (
        <Folded title={words.extension(visible(entry.name))}>
          <Parts parts={entry.parts} isPlain />
        </Folded>
      );
    case 'usage':
      return (
        <Note>
          {words.usage(visible(entry.kind))} <Cost usage={entry.usage} />
        </Note>
      );
    case 'model':
      return <Note>{words.model(visible(entry.model))}</Note>;
    case 'thinking_level':
      return <Note>{words.thinkingLevel(visible(entry.level))}</Note>;
    case 'name':
      return <Note>{words.name(visible(entry.name))}</Note>;
    case 'label':
      return <Note>{words.label(entry.label === null ? null : visible(entry.label))}</Note>;
    case 'context_edit':
      return entry.parts === null ? (
        <Note>{words.noLongerSent}</Note>
      ) : (
        <Folded title={words.shownInstead}>
          <Parts parts={entry.parts} isPlain />
        </Folded>
      );
    case 'unknown':
      return <Note>{words.unknownEntry(visible(entry.name))}</Note>;
    case 'unreadable':
      return <Note>{words.unreadable[entry.reason]}</Note>;
  }
};

interface MessageProps {
  readonly entry: SessionEntry;
  readonly role: string;
  readonly isOwn?: boolean;
  readonly usage?: SessionUsage | null;
  readonly children: ReactNode;
}

const Message = ({ entry, role, isOwn = false, usage = null, children }: MessageProps) => (
  <article className={isOwn ? 'rounded-lg border border-line bg-raised px-3 py-2' : 'px-3'}>
    <p className="mb-1 flex flex-wrap items-baseline gap-x-2 text-sm text-muted">
      <span className="font-medium text-ink">{role}</span>
      {usage && <span className="break-all">{visible(usage.model)}</span>}
      {entry.at !== null && <time dateTime={entry.at}>{exactTime(Date.parse(entry.at))}</time>}
      <span className="ml-auto">
        <Cost usage={usage} />
      </span>
    </p>
    <div className="flex flex-col gap-2">{children}</div>
  </article>
);

const Cost = ({ usage }: { readonly usage: SessionUsage | null }) => {
  if (!usage) return null;
  const { usd, sats, hint } = costOfEntry(usage);
  const { input, output, cacheRead, cacheWrite } = usage;
  return (
    <span data-details={hint} className="text-sm whitespace-nowrap text-muted tabular-nums">
      {words.tokens(input + output + cacheRead + cacheWrite)} · {usd}
      {sats !== undefined && ` · ${sats}`}
      {/* The header of the session shows the same to the keyboard. */}
      {hint !== undefined && <span className="sr-only"> {hint}</span>}
    </span>
  );
};

const Note = ({ children }: { readonly children: ReactNode }) => (
  <p className="px-3 text-center text-sm break-words text-muted">{children}</p>
);
