import { ChevronRight, Image } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { SessionEntry, SessionPart, SessionUsage } from '../../../../shared/api/sessions.ts';
import { sessions as words } from '../../strings/sessions.ts';
import { cx } from '../../ui/cx.ts';
import { Problem } from '../../ui/failures.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { scrollsByKey } from '../../ui/scrolls-by-key.ts';
import { exactTime } from '../../ui/time-ago.tsx';
import { argumentLines, costOfEntry, visible } from './session-texts.ts';

/** Longer text isn't parsed as Markdown, because that would take too long. */
const MAX_RICH = 20_000;

const PlainText = ({ text, tone }: { readonly text: string; readonly tone?: string }) => (
  <pre
    ref={scrollsByKey}
    dir="ltr"
    className={cx('max-h-[60dvh] overflow-y-auto font-mono text-sm wrap-anywhere whitespace-pre-wrap', tone)}
  >
    {visible(text)}
  </pre>
);

/** Renders text as Markdown, without links. */
const RichText = ({ text }: { readonly text: string }) =>
  text.length > MAX_RICH ? (
    <PlainText text={text} />
  ) : (
    <div dir="auto" className="max-w-[80ch] min-w-0 wrap-anywhere">
      <Markdown text={visible(text)} links={false} />
    </div>
  );

/** A note that text was cut off. */
const Cut = ({ count }: { readonly count: number | undefined }) =>
  count !== undefined && <p className="text-sm text-muted">{words.cut(count)}</p>;

interface FoldedProps {
  readonly title: string;
  /** A one-line summary. */
  readonly detail?: string;
  readonly isError?: boolean;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A collapsible part. Its content is in the DOM only while it's open. */
const Folded = ({ title, detail, isError = false, aside, children }: FoldedProps) => {
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="min-w-0 rounded-lg border border-line">
      <div className="flex min-w-0 items-center gap-2 px-2">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setIsOpen(!isOpen)}
          className="flex h-8 min-w-0 flex-1 items-center gap-2 text-left text-sm outline-offset-0"
        >
          <ChevronRight
            aria-hidden="true"
            className={cx('size-3.5 shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
          />
          <span className={cx('shrink-0 font-medium', isError && 'text-danger')}>{title}</span>
          {detail !== undefined && <bdi className="min-w-0 truncate font-mono text-muted">{detail}</bdi>}
        </button>
        {aside}
      </div>
      {isOpen && (
        <div id={id} className="flex flex-col gap-2 border-t border-line bg-sunken px-3 py-2">
          {children}
        </div>
      )}
    </div>
  );
};

/** A message's parts. `isPlain` shows the text verbatim, for tool output. */
const Parts = ({
  parts,
  isPlain = false,
}: {
  readonly parts: readonly SessionPart[];
  readonly isPlain?: boolean;
}) =>
  parts.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an entry never change
    <Part key={index} part={part} isPlain={isPlain} />
  ));

const Part = ({ part, isPlain }: { readonly part: SessionPart; readonly isPlain: boolean }) => {
  switch (part.type) {
    case 'text':
      return (
        <>
          {isPlain ? <PlainText text={part.text} /> : <RichText text={part.text} />}
          <Cut count={part.cut} />
        </>
      );
    case 'thinking':
      return (
        <Folded title={words.roles.thinking}>
          <RichText text={part.text} />
          <Cut count={part.cut} />
        </Folded>
      );
    case 'tool_call': {
      const lines = argumentLines(part.text);
      return (
        <Folded title={visible(part.name)} detail={visible(lines.slice(0, 200).replaceAll('\n', ' '))}>
          <PlainText text={lines} />
          <Cut count={part.cut} />
        </Folded>
      );
    }
    case 'image':
      return (
        <p className="flex items-center gap-2 rounded-md border border-dashed border-line-strong px-3 py-2 text-sm text-muted">
          <Image aria-hidden="true" className="size-4 shrink-0" />
          {words.image(visible(part.mimeType), part.bytes)}
        </p>
      );
    case 'unknown':
      return <p className="text-sm text-muted">{words.unknownPart(visible(part.name))}</p>;
  }
};

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
            <Problem>{words.stopped[entry.stopReason]}</Problem>
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
      {/* The session's header shows the same details to keyboard users. */}
      {hint !== undefined && <span className="sr-only"> {hint}</span>}
    </span>
  );
};

const Note = ({ children }: { readonly children: ReactNode }) => (
  <p className="px-3 text-center text-sm break-words text-muted">{children}</p>
);
