import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { MAX_SEARCH_LENGTH, type PromptMatch } from '../../../../shared/api/search.ts';
import { promptSearchQuery } from '../../api/queries.ts';
import { requestPlace } from '../../intents/requested-place.ts';
import { paths } from '../../routes.ts';
import { search as words } from '../../strings/palette.ts';
import { parseQuery, type SearchTarget, type TargetGroup } from './search-targets.ts';

/** What the server found in the text of prompts. */
interface FoundPrompts {
  readonly text: string;
  readonly matches: readonly PromptMatch[];
  readonly isLoading: boolean;
  /** What to know about the matches, such as that there are more. */
  readonly note: string | undefined;
  /** Why nothing was found, if a search failed. */
  readonly problem: string | undefined;
}

/** A short pause in typing, so that not each letter of a word is searched for. */
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

/** Searches the text of prompts for a query, once the typing pauses. */
export const usePrompts = (query: string, isOpen: boolean): FoundPrompts => {
  const { scope, text } = parseQuery(query);
  const wanted = text.trim().slice(0, MAX_SEARCH_LENGTH);
  const isWanted = isOpen && scope !== 'commands' && wanted.length >= MIN_LENGTH;
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

/** Until the matches of a longer query are there, those of the one before, where they match it too. */
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
export const promptsGroup = (
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
