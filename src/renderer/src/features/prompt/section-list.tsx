import { ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import type { PromptSource } from '../../../../shared/api/prompt.ts';
import { paths } from '../../routes.ts';
import { prompt as words } from '../../strings/prompt.ts';
import { number } from '../../strings/words.ts';
import { cx } from '../../ui/cx.ts';
import { Hint } from '../../ui/hint.tsx';
import { scrollsByKey } from '../../ui/scrolls-by-key.ts';

/** The sections' colors, in order. Text next to each color names its section. */
const SWATCHES = [
  'bg-on-avatar-6',
  'bg-on-avatar-5',
  'bg-on-avatar-4',
  'bg-on-avatar-3',
  'bg-on-avatar-2',
  'bg-on-avatar-1',
  'bg-on-avatar-0',
  'bg-on-avatar-7',
  'bg-line-strong',
] as const;

const swatchOf = (index: number): string => SWATCHES[index % SWATCHES.length] ?? SWATCHES[0];

interface TokenBarProps {
  readonly sections: readonly { readonly name: string; readonly tokens: number }[];
}

/** Shows a prompt's tokens as a bar with a part for each section. */
export const TokenBar = ({ sections }: TokenBarProps) => {
  const total = sections.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total === 0) return null;
  const parts = sections.map(({ name, tokens }) => ({
    name,
    title: words.section[name] ?? name,
    percent: Math.round((tokens / total) * 100),
    tokens,
  }));
  return (
    <div
      role="img"
      aria-label={`${words.bar}: ${parts
        .map(({ title, percent }) => `${title} ${words.share(percent)}`)
        .join(', ')}`}
      className="flex h-2.5 w-full gap-px overflow-hidden rounded-full bg-line"
    >
      {parts.map(({ name, title, percent, tokens }, index) => (
        <span
          key={name}
          data-details={`${title}: ${words.tokens(tokens)}, ${words.share(percent)}`}
          style={{ flexGrow: tokens }}
          className={cx('h-full min-w-px', swatchOf(index))}
        />
      ))}
    </div>
  );
};

/** A file or skill in a section. */
interface SectionPart {
  readonly name: string;
  readonly title?: string;
  readonly detail?: string;
  readonly tokens: number;
}

/** A prompt's section. The last prompt sent has no sources. */
export interface ShownSection {
  readonly name: string;
  readonly text: string;
  readonly tokens: number;
  readonly source?: PromptSource;
  readonly parts?: readonly SectionPart[];
}

interface SectionListProps {
  readonly id: string;
  readonly sections: readonly ShownSection[];
}

/** A prompt's sections. Each expands to its text. */
export const SectionList = ({ id, sections }: SectionListProps) => (
  <ol className="flex flex-col divide-y divide-line rounded-lg border border-line">
    {sections.map((section, index) => (
      <li key={section.name} className="min-w-0">
        <Folded agent={id} section={section} index={index} />
      </li>
    ))}
  </ol>
);

interface FoldedProps {
  readonly agent: string;
  readonly section: ShownSection;
  readonly index: number;
}

const Folded = ({ agent, section, index }: FoldedProps) => {
  const id = useId();
  const [isOpen, setIsOpen] = useState(index === 0);
  const { name, text, tokens, source, parts } = section;
  return (
    <>
      <div className="flex min-w-0 items-center gap-2 px-2 hover:bg-hover">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
          className="flex h-9 min-w-0 flex-1 items-center gap-2 text-left outline-offset-0"
        >
          <ChevronRight
            aria-hidden="true"
            className={cx('size-3.5 shrink-0 text-muted transition-transform', isOpen && 'rotate-90')}
          />
          <span aria-hidden="true" className={cx('size-2.5 shrink-0 rounded-xs', swatchOf(index))} />
          <span className="truncate font-medium">{words.section[name] ?? name}</span>
        </button>
        {source && <Source agent={agent} source={source} count={parts?.length ?? 0} />}
        <span className="w-16 shrink-0 text-right text-sm text-muted tabular-nums">
          {number.format(tokens)}
        </span>
      </div>
      {isOpen && (
        <div id={id} className="flex flex-col border-t border-line">
          {parts && parts.length > 0 && <Parts parts={parts} />}
          <pre
            ref={scrollsByKey}
            className="max-h-[60dvh] overflow-y-auto bg-sunken px-3 py-2 font-mono text-sm wrap-anywhere whitespace-pre-wrap"
          >
            {text}
          </pre>
        </div>
      )}
    </>
  );
};

interface SourceProps {
  readonly agent: string;
  readonly source: PromptSource;
  readonly count: number;
}

/** A section's source. One of the agent's own files opens in the editor. */
const Source = ({ agent, source: { kind, file, path }, count }: SourceProps) => {
  const text =
    kind === 'file'
      ? (file ?? path ?? '')
      : kind === 'files' || kind === 'skills'
        ? words.source[kind](count)
        : words.source[kind];
  const target = kind === 'argument' ? 'pi-args' : kind === 'file' && file !== undefined ? file : undefined;
  const href =
    target !== undefined
      ? paths.agent(agent, { kind: 'files', file: target })
      : kind === 'skills'
        ? paths.agent(agent, { kind: 'skills' })
        : undefined;
  if (href === undefined)
    return (
      <Hint label={path ?? text} className="min-w-0 truncate text-sm text-muted">
        {text}
      </Hint>
    );
  return (
    <Link
      href={href}
      aria-label={words.open(text)}
      className="min-w-0 truncate rounded text-sm text-accent hover:underline"
    >
      {text}
    </Link>
  );
};

const Parts = ({ parts }: { readonly parts: readonly SectionPart[] }) => (
  <ul ref={scrollsByKey} className="flex max-h-60 flex-col overflow-y-auto px-3 py-1.5 text-sm">
    {parts.map(({ name, title, detail, tokens }) => (
      <li key={title ?? name} className="flex min-w-0 items-baseline gap-2 py-0.5">
        <Hint label={title ?? name} className="min-w-0 truncate font-mono">
          {name}
        </Hint>
        {detail && <span className="shrink-0 text-muted">{detail}</span>}
        <span className="ml-auto shrink-0 text-muted tabular-nums">{number.format(tokens)}</span>
      </li>
    ))}
  </ul>
);
