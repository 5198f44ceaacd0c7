import { ChevronRight, Image } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import type { SessionPart } from '../../../../shared/api/sessions.ts';
import { sessions as words } from '../../strings/sessions.ts';
import { cx } from '../../ui/cx.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { argumentLines, visible } from './visible-text.ts';

/** A longer text isn't parsed as Markdown, because that takes longer than anyone reads. */
const MAX_RICH = 20_000;

/** A text as it is. */
export const PlainText = ({ text, tone }: { readonly text: string; readonly tone?: string }) => (
  <pre
    dir="ltr"
    className={cx('max-h-[60dvh] overflow-y-auto font-mono text-sm wrap-anywhere whitespace-pre-wrap', tone)}
  >
    {visible(text)}
  </pre>
);

/** A text as Markdown, without links. */
export const RichText = ({ text }: { readonly text: string }) =>
  text.length > MAX_RICH ? (
    <PlainText text={text} />
  ) : (
    <div dir="auto" className="max-w-[80ch] min-w-0 wrap-anywhere">
      <Markdown text={visible(text)} links={false} />
    </div>
  );

/** Says that a text is longer. */
export const Cut = ({ count }: { readonly count: number | undefined }) =>
  count !== undefined && <p className="text-sm text-muted">{words.cut(count)}</p>;

interface FoldedProps {
  readonly title: string;
  /** A line that sums it up. */
  readonly detail?: string;
  readonly isError?: boolean;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A part that unfolds. Its content is only in the page while it is open. */
export const Folded = ({ title, detail, isError = false, aside, children }: FoldedProps) => {
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

/** The parts of a message. `isPlain` shows texts as they are, as tools print them. */
export const Parts = ({
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
