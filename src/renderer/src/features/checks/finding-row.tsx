import { CircleAlert, Lightbulb, type LucideIcon, TriangleAlert, Wrench } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import { type Finding, hasPlace, type RuleText, type Severity } from '../../../../shared/api/checks.ts';
import { checks as words } from '../../strings/checks.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';

const ICONS: Readonly<Record<Severity, readonly [icon: LucideIcon, className: string]>> = {
  error: [CircleAlert, 'text-danger'],
  warning: [TriangleAlert, 'text-warn'],
  hint: [Lightbulb, 'text-muted'],
};

interface FindingRowProps {
  readonly finding: Finding;
  readonly rule: RuleText | undefined;
  /** The path of the file's editor. Undefined if the file can't be edited here. */
  readonly href: string | undefined;
  /** Called before the editor opens. */
  readonly onOpen: () => void;
  /** Undefined if the finding can't be fixed here. */
  readonly onFix: (() => void) | undefined;
  readonly isFixing: boolean;
  /** Buttons that fix something other than text. */
  readonly linkFix?: ReactNode;
}

/** One finding: what is wrong, where, why it matters on request, and its fix. */
export const FindingRow = ({ finding, rule, href, onOpen, onFix, isFixing, linkFix }: FindingRowProps) => {
  const [explains, setExplains] = useState(false);
  const whyId = useId();
  const [Icon, tone] = ICONS[finding.severity];
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1.5 px-3 py-2">
      <div className="flex min-w-60 flex-1 gap-2.5">
        <Icon
          role="img"
          aria-label={words.severity[finding.severity]}
          className={cx('mt-0.5 size-4 shrink-0', tone)}
        />
        <div className="flex min-w-0 flex-col gap-0.5">
          <p className="wrap-anywhere">{finding.message}</p>
          <p className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
            {hasPlace(finding) &&
              (href === undefined ? (
                <span className="tabular-nums">{words.line(finding.line)}</span>
              ) : (
                <Link
                  href={href}
                  onClick={onOpen}
                  className="rounded text-accent tabular-nums underline-offset-2 hover:underline"
                >
                  {words.line(finding.line)}
                </Link>
              ))}
            <code className="text-xs wrap-anywhere">{finding.rule}</code>
            {rule && (
              <button
                type="button"
                aria-expanded={explains}
                aria-controls={whyId}
                aria-label={words.whyLabel(rule.title)}
                onClick={() => setExplains(!explains)}
                className="rounded text-accent underline-offset-2 hover:underline"
              >
                {words.why}
              </button>
            )}
          </p>
          <p id={whyId} hidden={!explains} className="max-w-prose text-muted">
            {rule?.why}
          </p>
        </div>
      </div>
      {finding.fix && onFix && (
        <Button size="small" disabled={isFixing} onClick={onFix} data-row-action="fix">
          <Wrench aria-hidden="true" className="size-3.5" />
          {finding.fix.title}
        </Button>
      )}
      {linkFix}
    </li>
  );
};
