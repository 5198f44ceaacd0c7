import { prompt as words } from '../../strings/prompt.ts';
import { cx } from '../../ui/cx.ts';

/** The colors of the sections, in their order. The text next to each names it. */
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

/** The color of the section with this index. */
export const swatchOf = (index: number): string => SWATCHES[index % SWATCHES.length] ?? SWATCHES[0];

interface TokenBarProps {
  readonly sections: readonly { readonly name: string; readonly tokens: number }[];
}

/** Where the tokens of a prompt go: one bar, with a part for each section. */
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
