import { CircleAlert, Lightbulb, TriangleAlert } from 'lucide-react';
import { SEVERITIES, type Severity } from '../../../shared/api/checks.ts';
import { catalog as catalogWords } from '../strings/catalog.ts';
import { cx } from './cx.ts';

/** A problem from the catalog or a check. */
export interface ShownProblem {
  readonly severity: Severity;
  readonly rule: string;
  readonly message: string;
  /** The line of SKILL.md, from 1. */
  readonly line?: number;
}

const ICONS = {
  error: [CircleAlert, 'text-danger'],
  warning: [TriangleAlert, 'text-warn'],
  hint: [Lightbulb, 'text-muted'],
} as const;

/** Lists a file's problems, errors first, each on one line with its rule. */
export const Diagnostics = ({ items }: { readonly items: readonly ShownProblem[] }) =>
  items.length > 0 && (
    <ul className="flex flex-col gap-1 text-sm">
      {items
        .toSorted((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
        .map((item) => {
          const [Icon, tone] = ICONS[item.severity];
          return (
            <li key={`${item.rule} ${item.line} ${item.message}`} className="flex items-start gap-1.5">
              <Icon
                role="img"
                aria-label={catalogWords.severity[item.severity]}
                className={cx('mt-0.75 size-3 shrink-0', tone)}
              />
              <span className="min-w-0 break-words">
                {item.line !== undefined && (
                  <span className="text-muted">{catalogWords.atLine(item.line)} </span>
                )}
                {item.message} <code className="text-xs text-muted">{item.rule}</code>
              </span>
            </li>
          );
        })}
    </ul>
  );
