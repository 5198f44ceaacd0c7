import { Equal, FileQuestion, Lock } from 'lucide-react';
import { useId, useState } from 'react';
import type { AgentPrompt } from '../../../../shared/api/prompt.ts';
import { SignInButton } from '../../shell/sign-in.tsx';
import { prompt as words } from '../../strings/prompt.ts';
import { Callout } from '../../ui/callout.tsx';
import { Choice } from '../../ui/choice.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Hint } from '../../ui/hint.tsx';
import { LineDifference, lineChanges } from '../../ui/line-difference.tsx';
import { Loading } from '../../ui/loading.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { SectionList, type ShownSection, TokenBar } from './section-list.tsx';
import { usePrompt } from './use-prompt.ts';

/** Notes about a predicted prompt: its tools, and the skills that pi skips. */
const PromptNotes = ({ prompt }: { readonly prompt: AgentPrompt }) => {
  const { notes, complete, leftOutSkills, tools } = prompt;
  return (
    <>
      {notes.length > 0 && (
        <Callout tone={complete ? 'note' : 'warn'}>
          <ul aria-label={words.notes} className="flex flex-col gap-1">
            {notes.map(({ code, message }) => (
              <li key={code}>{message}</li>
            ))}
          </ul>
        </Callout>
      )}
      <p className="text-sm text-muted">
        {words.toolList}: <span className="font-mono">{tools.join(', ') || words.noTools}</span>
      </p>
      {leftOutSkills.length > 0 && (
        <details className="text-sm text-muted">
          <summary className="w-fit cursor-pointer rounded">{words.leftOut(leftOutSkills.length)}</summary>
          <ul className="flex flex-col gap-0.5 pt-1 pl-4">
            {leftOutSkills.map(({ path, reason, winner }) => (
              <li key={path} className="break-words">
                <span className="font-mono wrap-anywhere">{path}</span>: {words.reason[reason]}
                {winner !== undefined && <span className="font-mono wrap-anywhere"> ({winner})</span>}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
};

const VIEWS = ['predicted', 'sent', 'difference'] as const;
type View = (typeof VIEWS)[number];

/** Shows the prompt that pi will send for an agent, the one it sent last, and their differences. */
export const PromptSection = ({ id }: { readonly id: string }) => {
  const [view, setView] = useState<View>('predicted');
  const [chosen, setChosen] = useState<string | null>(null);
  /** The directory of the last session, if a prompt can be predicted there. */
  const [sentFrom, setSentFrom] = useState<string | null>(null);
  // Compare prompts for the same directory, because another directory changes the prompt.
  const cwd = chosen ?? (view === 'difference' ? sentFrom : null);
  const read = usePrompt(id, cwd);
  if (read.status === 'loading') return <Loading />;
  if (read.status === 'error') return <ErrorState error={read.error} onRetry={read.retry} />;
  const prompt = read.data;
  const open = (next: View): void => {
    const sent = prompt.lastSent?.cwd;
    setSentFrom(sent !== undefined && prompt.directories.includes(sent) ? sent : null);
    setView(next);
  };
  return (
    <div className="flex flex-col gap-3 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Choice label={words.view} options={VIEWS} names={words.views} value={view} onChange={open} />
        <Tokens prompt={prompt} view={view} />
        <span className="ml-auto">
          <CopyButton label={words.copy} text={view === 'sent' ? sentText(prompt) : prompt.text} />
        </span>
      </div>
      {view !== 'sent' && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
          <span className="text-muted">{words.version(prompt.piVersion, prompt.installedPi)}</span>
          <Directory prompt={prompt} chosen={chosen} onChoose={setChosen} />
        </div>
      )}
      <Shown id={id} prompt={prompt} view={view} />
    </div>
  );
};

const sentText = ({ lastSent }: AgentPrompt): string =>
  (lastSent?.sections ?? []).map(({ text }) => text).join('\n\n');

const Tokens = ({ prompt, view }: { readonly prompt: AgentPrompt; readonly view: View }) => {
  const { totalTokens, tokenizer, lastSent, unreadable } = prompt;
  const count = view === 'sent' ? lastSent?.tokens : totalTokens;
  if (count === undefined) return null;
  if (view !== 'sent' && unreadable.length > 0)
    return <span className="text-sm text-muted">{words.unknownTokens}</span>;
  const { name, approximate } = tokenizer;
  return (
    <Hint
      label={approximate ? words.approximateHint(name) : words.exactHint(name)}
      className="text-sm text-muted tabular-nums"
    >
      {approximate ? words.approximately(count) : words.tokens(count)}
    </Hint>
  );
};

interface DirectoryProps {
  readonly prompt: AgentPrompt;
  readonly chosen: string | null;
  readonly onChoose: (cwd: string | null) => void;
}

const Directory = ({ prompt, chosen, onChoose }: DirectoryProps) => {
  const id = useId();
  const [byDefault, ...others] = prompt.directories;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <label htmlFor={id} className="shrink-0 text-muted">
        {words.directory}
      </label>
      <select
        id={id}
        value={chosen ?? ''}
        onChange={({ target }) => onChoose(target.value === '' ? null : target.value)}
        className="h-7 max-w-80 min-w-0 rounded-md border border-line-strong bg-canvas px-1.5 font-mono"
      >
        <option value="">{byDefault ?? words.defaultDirectory}</option>
        {others.map((path) => (
          <option key={path} value={path}>
            {path}
          </option>
        ))}
      </select>
    </span>
  );
};

interface ShownProps {
  readonly id: string;
  readonly prompt: AgentPrompt;
  readonly view: View;
}

const Shown = ({ id, prompt, view }: ShownProps) => {
  const { lastSent } = prompt;
  if (view === 'predicted')
    return (
      <>
        <PromptNotes prompt={prompt} />
        <TokenBar sections={prompt.sections} />
        <SectionList id={id} sections={prompt.sections.map((section) => withParts(section, prompt))} />
      </>
    );
  if (!lastSent) return <EmptyState icon={FileQuestion} title={words.noneSent} hint={words.noneSentHint} />;
  if (!lastSent.sections)
    return (
      <EmptyState icon={Lock} title={words.signInToSee} hint={words.signInToSeeHint}>
        <SignInButton />
      </EmptyState>
    );
  return (
    <>
      <p className="text-sm break-words text-muted">
        {words.sent} <TimeAgo at={lastSent.at} /> · <span className="font-mono">{lastSent.session}</span>
        {lastSent.partial && ` · ${words.partial}`}
      </p>
      {view === 'sent' ? (
        <>
          <TokenBar sections={lastSent.sections} />
          <SectionList id={id} sections={lastSent.sections} />
        </>
      ) : (
        <SentDifference before={sentText(prompt)} after={prompt.text} />
      )}
    </>
  );
};

/** Returns a section with its source and its files. */
const withParts = (section: AgentPrompt['sections'][number], prompt: AgentPrompt): ShownSection => {
  if (section.name === 'project_context')
    return {
      ...section,
      parts: prompt.contextFiles.map(({ path, tokens }) => ({ name: path, tokens })),
    };
  if (section.name !== 'skills') return section;
  return {
    ...section,
    parts: prompt.skills.map(({ name, path, from, inPrompt, tokens }) => ({
      name,
      title: path,
      detail: inPrompt ? words.from[from] : words.notInPrompt,
      tokens,
    })),
  };
};

/** The lines that were added to or removed from the prompt since pi last sent it. */
const SentDifference = ({ before, after }: { readonly before: string; readonly after: string }) => {
  if (before === after) return <EmptyState icon={Equal} title={words.same} />;
  const changes = lineChanges(before, after);
  const countOf = (kind: 'added' | 'removed'): number =>
    changes.filter((change) => change.kind === kind).reduce((sum, { lines }) => sum + lines.length, 0);
  return (
    <>
      <p className="text-sm">{words.differs(countOf('added'), countOf('removed'))}</p>
      <LineDifference label={words.differenceLabel} before={before} after={after} />
    </>
  );
};
