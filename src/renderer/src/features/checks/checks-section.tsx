import { useQuery } from '@tanstack/react-query';
import { ChevronRight, CircleAlert, Lightbulb, type LucideIcon, TriangleAlert, Wrench } from 'lucide-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import {
  type AgentChecks,
  type Finding,
  hasPlace,
  type RuleText,
  type Severity,
} from '../../../../shared/api/checks.ts';
import {
  type EditableFile,
  isEditableFile,
  LINK_KINDS,
  type LinkKind,
} from '../../../../shared/api/names.ts';
import { agentChecksQuery, linksQuery } from '../../api/queries.ts';
import { readStatus } from '../../api/read-status.ts';
import { useLinkActions } from '../../changes/link-changes.ts';
import { useDraftedFiles } from '../../drafts/use-drafts.ts';
import { isFixable } from '../../fixes/fix-plan.ts';
import { paths } from '../../routes.ts';
import { requestPlace } from '../../shell/intents.ts';
import { checks as words } from '../../strings/checks.ts';
import { linkWords } from '../../strings/links.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { cx } from '../../ui/cx.ts';
import { TickArt } from '../../ui/empty-art.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { useFixes } from './use-fixes.ts';

/** Returns a finding's link, such as `skills/review`. Undefined if the finding isn't about a link. */
const linkOf = ({ rule, file }: { readonly rule: string; readonly file: string }) => {
  const [folder, name] = file.split('/', 2);
  const kind = LINK_KINDS.find((one) => one === folder);
  return rule === 'link-broken' && kind && name !== undefined ? { kind, name } : undefined;
};

interface BrokenLinkFixProps {
  readonly id: string;
  readonly kind: LinkKind;
  readonly name: string;
}

/** Buttons to remove a broken link, or to repair it if `shared` has an entry with its name. */
const BrokenLinkFix = ({ id, kind, name }: BrokenLinkFixProps) => {
  const entry = useQuery(linksQuery(id, kind)).data?.find((one) => one.name === name);
  const { repair, unlink, busy } = useLinkActions(id, kind);
  if (!entry?.broken) return null;
  return (
    <div className="flex gap-2">
      {entry.sharedRelative !== undefined && (
        <Button
          size="small"
          disabled={busy !== null}
          aria-label={linkWords.repairLabel(name)}
          data-details={linkWords.repairLabel(name)}
          onClick={() => repair(name)}
          data-row-action="fix"
        >
          {linkWords.repair}
        </Button>
      )}
      <Button
        size="small"
        disabled={busy !== null}
        aria-label={linkWords.removeLabel(name)}
        data-details={linkWords.removeLabel(name)}
        onClick={() => unlink(entry)}
        data-row-action="fix"
      >
        {linkWords.remove}
      </Button>
    </div>
  );
};

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
  /** Buttons that fix a link, because a text edit can't. */
  readonly linkFix?: ReactNode;
}

/** One finding: the problem, its position, an explanation on request, and its fix. */
const FindingRow = ({ finding, rule, href, onOpen, onFix, isFixing, linkFix }: FindingRowProps) => {
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

const countsOf = (findings: readonly Finding[]) => ({
  errors: findings.filter(({ severity }) => severity === 'error').length,
  warnings: findings.filter(({ severity }) => severity === 'warning').length,
  hints: findings.filter(({ severity }) => severity === 'hint').length,
});

/** Returns a finding's position for the editor, which puts the caret there. */
const placeIn = ({ line, column }: Finding) => ({ line, text: '', start: column - 1, length: 0 });

/** An agent's findings, with fixes. */
export const ChecksSection = ({ id }: { readonly id: string }) => {
  const state = readStatus(useQuery(agentChecksQuery(id)));
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const { findings, linkedSkills } = state.data;
  if (findings.length === 0 && linkedSkills.length === 0)
    return <EmptyState art={<TickArt />} title={words.none} hint={words.noneHint} />;
  return <Findings id={id} checks={state.data} />;
};

const brokenLinkFix = (id: string, finding: Finding): ReactNode => {
  const link = linkOf(finding);
  return link && <BrokenLinkFix id={id} {...link} />;
};

const Findings = ({ id, checks }: { readonly id: string; readonly checks: AgentChecks }) => {
  const { findings, rules, linkedSkills, truncated } = checks;
  const drafted = useDraftedFiles(id);
  const fixes = useFixes(id, checks.etags);
  const place = useRef<HTMLDivElement>(null);
  useFocusAfterRemoval(place);
  const fixable = findings.filter(isFixable).filter(({ file }) => !drafted.includes(file));
  const safe = fixable.filter(({ fix }) => fix.safe);
  const byFile = Object.entries(Object.groupBy(findings, ({ file }) => file));
  return (
    <div ref={place} tabIndex={-1} className="flex max-w-4xl flex-col gap-5 px-6 py-4 outline-none">
      <div className="flex min-h-7.5 flex-wrap items-center gap-x-4 gap-y-2">
        <div role="status" className="mr-auto">
          <h2 className="font-semibold">
            {findings.length === 0 ? words.none : words.counts(countsOf(findings))}
          </h2>
        </div>
        {safe.length > 0 && (
          <Button
            variant="primary"
            data-details={words.fixSafeHint}
            aria-description={words.fixSafeHint}
            disabled={fixes.isPending}
            onClick={() => fixes.mutate(safe)}
          >
            {words.fixSafe(safe.length)}
          </Button>
        )}
      </div>
      {byFile.map(([file, found = []]) => (
        <FileFindings
          key={file}
          id={id}
          file={file}
          isDrafted={isEditableFile(file) && drafted.includes(file)}
        >
          {found.map((finding) => (
            <FindingRow
              key={`${finding.rule} ${finding.line} ${finding.column} ${finding.message}`}
              finding={finding}
              rule={rules.find((rule) => rule.id === finding.rule)}
              href={isEditableFile(file) ? paths.agent(id, { kind: 'files', file }) : undefined}
              onOpen={() => isEditableFile(file) && requestPlace({ agent: id, file, ...placeIn(finding) })}
              isFixing={fixes.isPending}
              linkFix={brokenLinkFix(id, finding)}
              onFix={
                isFixable(finding) && fixable.includes(finding) ? () => fixes.mutate([finding]) : undefined
              }
            />
          ))}
        </FileFindings>
      ))}
      {truncated && <Callout tone="note">{words.truncated}</Callout>}
      {linkedSkills.length > 0 && <LinkedSkills skills={linkedSkills} />}
    </div>
  );
};

interface FileFindingsProps {
  readonly id: string;
  readonly file: string;
  /** True if the file has unsaved text, which would conflict with a fix on disk. */
  readonly isDrafted: boolean;
  readonly children: ReactNode;
}

const FileFindings = ({ id, file, isDrafted, children }: FileFindingsProps) => (
  <section aria-label={words.list(file)} className="flex flex-col gap-1.5">
    <h3 className="font-mono text-sm font-medium wrap-anywhere">
      {isEditableFile(file) ? <FileLink id={id} file={file} /> : file}
    </h3>
    {isDrafted && <p className="text-sm text-muted">{words.unsaved(file)}</p>}
    <ul className="divide-y divide-line rounded-lg border border-line bg-raised">{children}</ul>
  </section>
);

const FileLink = ({ id, file }: { readonly id: string; readonly file: EditableFile }) => (
  <Link
    href={paths.agent(id, { kind: 'files', file })}
    aria-label={words.open(file)}
    className="rounded text-accent underline-offset-2 hover:underline"
  >
    {file}
  </Link>
);

const LinkedSkills = ({ skills }: { readonly skills: AgentChecks['linkedSkills'] }) => (
  <section aria-label={words.linkedSkills} className="flex flex-col gap-1.5">
    <h3 className="font-medium">{words.linkedSkills}</h3>
    <p className="text-sm text-muted">{words.linkedSkillsHint}</p>
    <ul className="divide-y divide-line rounded-lg border border-line bg-raised">
      {skills.map(({ name, ...counts }) => (
        <li key={name}>
          <Link
            href={paths.catalogEntry('skills', name)}
            className="group flex min-h-9 flex-wrap items-center gap-x-3 px-3 py-1.5 hover:bg-hover"
          >
            <span className="min-w-0 flex-1 font-medium wrap-anywhere">{name}</span>
            <span className="text-sm text-muted">{words.counts(counts)}</span>
            <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted group-hover:text-ink" />
          </Link>
        </li>
      ))}
    </ul>
  </section>
);
