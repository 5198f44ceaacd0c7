import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  Bot,
  FileText,
  Link2,
  type LucideIcon,
  ReceiptText,
  Settings,
  Sparkles,
  SquareTerminal,
  TextSearch,
} from 'lucide-react';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { MAX_SEARCH_LENGTH, type PromptMatch } from '../../../../shared/api/search.ts';
import { promptSearchQuery } from '../../api/agent-queries.ts';
import { paths } from '../../routes.ts';
import { requestPlace } from '../../shell/intents.ts';
import { rememberRecent, type SearchCommand, searchInput, setQuery } from '../../shell/search.ts';
import { SHORTCUTS } from '../../shell/shortcuts.ts';
import { palette, search as words } from '../../strings/palette.ts';
import { KeyCaps } from '../../ui/key-caps.tsx';
import { PickerDialog } from './picker-dialog.tsx';
import { parseQuery, rank, rankTargets, type SearchTarget, type TargetGroup } from './search-targets.ts';
import { commandTarget, type Targets, useLinkTargets, useTargets } from './use-targets.ts';

/** The server's matches in prompts. */
interface FoundPrompts {
  readonly text: string;
  readonly matches: readonly PromptMatch[];
  readonly isLoading: boolean;
  /** A note about the matches, such as that there are more. */
  readonly note: string | undefined;
  /** Why nothing was found, if a search failed. */
  readonly problem: string | undefined;
}

/** The pause in typing before a search, so that not every keystroke starts one. */
const PAUSE_MS = 120;
const MIN_LENGTH = 2;

const usePause = (text: string): string => {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
};

const NONE: readonly PromptMatch[] = [];

/** Searches prompts for a query, once typing pauses. */
const usePrompts = (query: string, isOpen: boolean): FoundPrompts => {
  const { scope, text } = parseQuery(query);
  const wanted = text.trim().slice(0, MAX_SEARCH_LENGTH);
  const isWanted = isOpen && (scope === 'all' || scope === 'prompts') && wanted.length >= MIN_LENGTH;
  const paused = usePause(wanted);
  const { data, isFetching, error } = useQuery({
    ...promptSearchQuery(paused, scope === 'prompts' ? 50 : 8),
    enabled: isWanted && paused === wanted,
    placeholderData: keepPreviousData,
  });
  if (!isWanted) return { text: '', matches: NONE, isLoading: false, note: undefined, problem: undefined };
  const isCurrent = paused === wanted && !isFetching;
  return {
    text: wanted,
    matches: error ? NONE : stillMatching(data?.matches ?? NONE, wanted, isCurrent),
    isLoading: !isCurrent,
    note: isCurrent && data ? noteOf(data.truncated, data.unreadableCount) : undefined,
    problem: error?.message,
  };
};

/** Until a longer query's matches arrive, returns the earlier matches that still match. */
const stillMatching = (matches: readonly PromptMatch[], wanted: string, isCurrent: boolean) =>
  isCurrent
    ? matches
    : matches.flatMap((match): PromptMatch[] => {
        const start = match.text.toLowerCase().indexOf(wanted.toLowerCase());
        return start < 0 ? [] : [{ ...match, start, length: wanted.length }];
      });

const noteOf = (isTruncated: boolean, unreadable: number): string | undefined =>
  [
    ...(isTruncated ? [words.morePrompts] : []),
    ...(unreadable > 0 ? [words.unreadable(unreadable)] : []),
  ].join(' ') || undefined;

const Marked = ({ match: { text, start, length } }: { readonly match: PromptMatch }) => (
  <>
    {text.slice(0, start)}
    <mark className="bg-warn-soft font-semibold text-ink">{text.slice(start, start + length)}</mark>
    {text.slice(start + length)}
  </>
);

/** The matches in prompts as a group of the search. Each opens its file at the match. */
const promptsGroup = (
  { text, matches }: FoundPrompts,
  navigate: (path: string) => void,
): readonly TargetGroup[] => {
  if (matches.length === 0) return [];
  const items = matches.map(
    (match): SearchTarget => ({
      key: `prompt:${match.agent}/${match.file}`,
      title: match.text,
      detail: words.promptPlace(match.agent, match.file, match.line),
      icon: 'prompts',
      shown: <Marked match={match} />,
      run: () => {
        requestPlace(match);
        navigate(paths.agent(match.agent, { kind: 'files', file: match.file }));
      },
    }),
  );
  return [{ value: words.inPrompts(text), items }];
};

interface SearchDialogProps {
  readonly open: boolean;
  readonly openedId: string | null;
  /** The agent that was opened last. */
  readonly lastId: string | null;
  readonly commands: readonly SearchCommand[];
  /** Returns the actions for an agent that isn't open. */
  readonly commandsFor: (id: string) => readonly SearchCommand[];
  readonly settings: readonly SearchTarget[];
  readonly navigate: (path: string) => void;
  readonly onClose: () => void;
  /** Called once the dialog has closed and the focus is back. */
  readonly onClosed: (picked: SearchTarget | null) => void;
}

const NO_KEYS: readonly never[] = [];
const RECENT_SHOWN = 5;
const AGENTS_SHOWN = 8;
const FILES_SHOWN = 5;
const LINKS_SHOWN = 50;

const commandGroups = (commands: readonly SearchCommand[]): readonly TargetGroup[] =>
  [...Map.groupBy(commands, ({ group }) => group)].map(([value, items]) => ({
    value,
    items: items.map(commandTarget).map(({ detail: _detail, ...target }) => target),
  }));

const group = (value: string, items: readonly SearchTarget[]): readonly TargetGroup[] =>
  items.length === 0 ? [] : [{ value, items }];

/** Returns the initial suggestions: recent items, the open agent's actions and files, and commands. */
const initialGroups = (
  { targets, recent, find }: Targets,
  openedId: string | null,
  commands: readonly SearchCommand[],
): readonly TargetGroup[] => {
  const own = `agent:${openedId}`;
  const recents = recent
    .filter((key) => key !== own)
    .map(find)
    .filter((target) => target !== undefined)
    .slice(0, RECENT_SHOWN);
  const shown = new Set([own, ...recents.map(({ key }) => key)]);
  const agents = targets.agents.filter(({ key }) => !shown.has(key)).slice(0, AGENTS_SHOWN);
  const rest = commands.filter(({ id }) => !shown.has(`command:${id}`));
  const isForAgent = (command: SearchCommand): boolean => command.group === palette.groups.agent;
  return [
    ...group(words.recent, recents),
    ...commandGroups(rest.filter(isForAgent)),
    ...(openedId === null ? [] : group(openedId, targets.files.slice(0, FILES_SHOWN))),
    ...group(words.groups.agents, agents),
    ...commandGroups(rest.filter((command) => !isForAgent(command))),
  ];
};

const groupsOf = (
  targets: Targets,
  links: readonly SearchTarget[],
  query: string,
  { openedId, commands }: Pick<SearchDialogProps, 'openedId' | 'commands'>,
): readonly TargetGroup[] => {
  const { scope, text, agent } = parseQuery(query);
  if (scope === 'prompts') return [];
  if (scope === 'links')
    return group(
      words.linkTo(agent ?? openedId ?? ''),
      rank(links, text, ({ title }) => title, LINKS_SHOWN),
    );
  if (scope === 'all')
    return text.trim() === '' ? initialGroups(targets, openedId, commands) : rankTargets(targets, text);
  if (text === '') return commandGroups(commands);
  const none = { agents: [], files: [], shared: [], models: [], settings: [] };
  return rankTargets({ ...targets, targets: { ...none, commands: targets.targets.commands } }, text);
};

/** Finds everything: agents, their files, shared entries, models, settings, commands, and text in prompts. */
export const SearchDialog = (props: SearchDialogProps) => {
  const { open, openedId, lastId, commands, commandsFor, settings, navigate, onClose, onClosed } = props;
  const { query, keys } = useSyncExternalStore(searchInput.subscribe, searchInput.getState);
  const targets = useTargets({
    isOpen: open,
    query,
    openedId,
    lastId,
    commands,
    commandsFor,
    settings,
    navigate,
  });
  const { scope, text, agent } = parseQuery(query);
  const { links, isLoading: linksLoad } = useLinkTargets(agent ?? openedId, open && scope === 'links');
  const isLinking = scope === 'links' && text === '';
  // Not deferred, because Enter right after the last letter must open the match for the entire query.
  const found = useMemo(
    () => groupsOf(targets, links, query, { openedId, commands }),
    [targets, links, query, openedId, commands],
  );
  const prompts = usePrompts(query, open);
  const groups = useMemo(() => [...found, ...promptsGroup(prompts, navigate)], [found, prompts, navigate]);
  const isLoading = targets.isLoading || prompts.isLoading || linksLoad;
  const isWaiting = targets.isLoading || linksLoad || (groups.length === 0 && prompts.isLoading);
  return (
    <PickerDialog<SearchTarget>
      open={open}
      onClose={onClose}
      onClosed={(target) => {
        // Opening a file counts as a visit to its agent.
        if (target && !NOT_RECENT.includes(target.icon)) rememberRecent(target.key);
        onClosed(target);
      }}
      label={words.label}
      placeholder={words.placeholder}
      hint={words.hint}
      none={isLoading ? words.loading : isLinking ? words.nothingToLink : words.none}
      noneHint={
        isLoading ? undefined : (prompts.problem ?? (isLinking ? words.nothingToLinkHint : words.noneHint))
      }
      note={prompts.note}
      query={query}
      onQueryChange={setQuery}
      keys={isWaiting ? NO_KEYS : keys}
      groups={groups}
      staysOpen={(target) => {
        if (target.query !== undefined) setQuery(target.query);
        return target.query !== undefined;
      }}
      keyOf={({ key }) => key}
      show={(target) => <TargetRow target={target} />}
    />
  );
};

/** Targets that aren't remembered: one-time actions, and parts of an agent, which is remembered instead. */
const NOT_RECENT: readonly SearchTarget['icon'][] = ['files', 'prompts', 'links'];

const ICONS: Readonly<Record<SearchTarget['icon'], LucideIcon>> = {
  agents: Bot,
  files: FileText,
  shared: Sparkles,
  models: ReceiptText,
  settings: Settings,
  commands: SquareTerminal,
  prompts: TextSearch,
  links: Link2,
};

/** One search match: its icon, its title, and where it belongs. */
const TargetRow = ({ target }: { readonly target: SearchTarget }) => {
  const { title, detail, icon, shortcut, shown } = target;
  const Icon = ICONS[icon];
  return (
    <>
      <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" strokeWidth={1.75} />
      <span className="min-w-0 flex-1 truncate" data-details="">
        {shown ?? title}
      </span>
      {detail && <span className="max-w-[45%] shrink-0 truncate text-sm text-muted">{detail}</span>}
      {shortcut && <KeyCaps keys={SHORTCUTS[shortcut].keys[0]} />}
    </>
  );
};
