import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { ChangeItemInput } from '../../../shared/api/changes.ts';
import { checkAgent } from '../../../shared/api/checks.ts';
import { readFile } from '../../../shared/api/files.ts';
import type { EditableFile } from '../../../shared/api/names.ts';
import { applyFixes } from '../../../shared/apply-edits.ts';
import { call } from '../api/client.ts';
import { after } from '../api/invalidations.ts';
import { checkCountsQuery, linkCountsQuery } from '../api/queries.ts';
import { makeChangeSet } from '../changes/change-sets.ts';
import { useChange } from '../changes/changes.ts';
import { runEach } from '../changes/run-each.ts';
import { useUnsavedFiles } from '../drafts/use-drafts.ts';
import { fixAll as words } from '../strings/fix-all.ts';
import {
  addLeft,
  type FixPlan,
  type LeftProblems,
  type PlannedFixes,
  type PlannedLink,
  planFixes,
  withoutLinks,
} from './fix-plan.ts';

/** The progress of a loop over agents. */
interface Progress {
  readonly done: number;
  readonly all: number;
}

const NO_PROGRESS: Progress = { done: 0, all: 0 };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A change of one file or link, and the findings that it fixes. */
interface PlannedItem {
  readonly id: string;
  readonly item: ChangeItemInput;
  readonly fixes: number;
}

/** What a person chose to fix. */
export interface WantedFixes {
  readonly plan: FixPlan;
  /** The broken links to repair or remove. */
  readonly links: readonly PlannedLink[];
}

/** Returns the items that fix an agent's files, and how many fixes overlap others. */
const planFiles = async ({
  id,
  etags,
  findings,
}: PlannedFixes): Promise<{
  readonly id: string;
  readonly items: PlannedItem[];
  readonly refused: number;
}> => {
  const items: PlannedItem[] = [];
  let refused = 0;
  for (const [name, found = []] of Object.entries(Object.groupBy(findings, ({ file }) => file))) {
    const file = name as EditableFile;
    const ifMatch = etags[file];
    if (ifMatch === undefined) {
      refused += found.length;
      continue;
    }
    const { content } = await call(readFile, { params: { id }, query: { path: file } });
    const fixed = applyFixes(
      content,
      found.map(({ fix }) => fix.edits),
    );
    refused += fixed.refused.length;
    // The positions are of the text that was checked. If the file has changed since, the server refuses.
    const item = { agent: id, file, content: fixed.text, ifMatch };
    items.push({ id, item, fixes: found.length - fixed.refused.length });
  }
  return { id, items, refused };
};

const linkItem = ({ id, kind, name, repairable }: PlannedLink): PlannedItem => ({
  id,
  item: { agent: id, link: { kind, name }, to: repairable ? 'shared' : null },
  fixes: 1,
});

/** The fixed findings, and the problems left for a person. */
export interface FixResult {
  readonly fixed: number;
  /** How many agents had findings fixed. */
  readonly agents: number;
  readonly left: readonly LeftProblems[];
}

/**
 * Checks agents and plans their safe fixes, applies them, and offers one Undo. Without `ids`, it checks all agents with
 * findings. It checks only while `isAsking`.
 */
export const useFixAll = (
  ids: readonly string[] | undefined,
  isAsking: boolean,
  onDone: (result: FixResult) => void,
) => {
  const client = useQueryClient();
  const unsaved = useUnsavedFiles();
  const [checking, setChecking] = useState(NO_PROGRESS);
  const [fixing, setFixing] = useState(NO_PROGRESS);

  const unsavedOf = (id: string): EditableFile[] =>
    unsaved.flatMap((one) => (one.id === id ? [one.file] : []));

  const plan = useQuery({
    // A dialog that opens again must not get the previous plan, whose etags are out of date.
    queryKey: ['fix-plan', useId()],
    enabled: isAsking,
    queryFn: async ({ signal }): Promise<FixPlan> => {
      const counted = await client.fetchQuery({ ...checkCountsQuery(), staleTime: 0 });
      const broken = new Map(
        (await client.fetchQuery({ ...linkCountsQuery(), staleTime: 0 })).map((one) => [one.id, one.broken]),
      );
      const found = counted.agents.map(({ id }) => id).filter((id) => ids?.includes(id) ?? true);
      setChecking({ done: 0, all: found.length });
      const { results, failures } = await runEach(
        found,
        async (id) => ({
          id,
          checks: await call(checkAgent, { params: { id } }, signal),
          unsaved: unsavedOf(id),
          broken: broken.get(id),
        }),
        (done) => setChecking({ done, all: found.length }),
      );
      signal.throwIfAborted();
      const planned = planFixes(results);
      const unread = failures.map(({ item, error }) => ({ id: item, count: 0, reason: messageOf(error) }));
      return { ...planned, left: addLeft(planned.left, unread) };
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

  const fix = useChange({
    make: async ({ plan: { agents, left }, links }: WantedFixes) => {
      setFixing({ done: 0, all: agents.length });
      const { results, failures } = await runEach(agents, planFiles, (done) =>
        setFixing({ done, all: agents.length }),
      );
      const items = [...results.flatMap((one) => one.items), ...links.map(linkItem)];
      const label = words.fix(items.reduce((sum, one) => sum + one.fixes, 0));
      const { body, change } = await makeChangeSet(
        label,
        items.map(({ item }) => item),
      );
      const done = items.filter((_, index) => !body.refused.has(index));
      const failed = [
        ...results
          .filter(({ refused }) => refused > 0)
          .map(({ id, refused }) => ({ id, count: refused, reason: words.notFixed })),
        ...failures.map(({ item, error }) => ({
          id: item.id,
          count: item.findings.length,
          reason: messageOf(error),
        })),
        ...items.flatMap(({ id, item, fixes }, index) => {
          const refusal = body.refused.get(index);
          // A broken link already counts as left.
          return refusal ? [{ id, count: 'link' in item ? 0 : fixes, reason: refusal.error }] : [];
        }),
      ];
      const mended = done.filter(({ item }) => 'link' in item);
      const result: FixResult = {
        fixed: done.reduce((sum, { fixes }) => sum + fixes, 0),
        agents: new Set(done.map(({ id }) => id)).size,
        left: addLeft(withoutLinks(left, mended), failed),
      };
      return { body: result, change };
    },
    said: ({ fixed, agents }) => words.done(fixed, agents),
    failed: () => words.failed,
    onMade: onDone,
    refresh: ({ plan: { agents }, links }) => [
      ...after.agents(...agents.map(({ id }) => id)),
      ...after.links(...links.map(({ id }) => id)),
    ],
  });
  return { plan, checking, fix, fixing };
};
