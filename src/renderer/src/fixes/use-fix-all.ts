import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { checkAgent } from '../../../shared/api/checks.ts';
import type { EditableFile } from '../../../shared/api/names.ts';
import { call } from '../api/client.ts';
import { checkCountsQuery } from '../api/queries.ts';
import { useUnsavedFiles } from '../drafts/use-drafts.ts';
import { runEach } from '../run-each.ts';
import { common } from '../strings/common.ts';
import { fixAll as words } from '../strings/fix-all.ts';
import { notify, notifyFailure } from '../ui/toast.tsx';
import { applyFixes, type FixedFile, refreshFixed, restoreFile } from './apply-fixes.ts';
import { addLeft, type FixPlan, type LeftProblems, planFixes } from './fix-plan.ts';

/** The progress of a loop over agents. */
interface Progress {
  readonly done: number;
  readonly all: number;
}

const NO_PROGRESS: Progress = { done: 0, all: 0 };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Restores all agents' files, and reports files that have changed again. */
const undoAll = async (client: QueryClient, files: readonly FixedFile[]): Promise<void> => {
  const { results, failures } = await runEach(files, restoreFile);
  await refreshFixed(client, files);
  if (results.length > 0) notify(words.restored(results.length));
  if (failures.length > 0) notifyFailure(words.restoreFailed(failures.length), failures[0]?.error);
};

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
      const found = counted.agents.map(({ id }) => id).filter((id) => ids?.includes(id) ?? true);
      setChecking({ done: 0, all: found.length });
      const { results, failures } = await runEach(
        found,
        async (id) => ({
          id,
          checks: await call(checkAgent, { params: { id } }, signal),
          unsaved: unsavedOf(id),
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

  const fix = useMutation({
    mutationFn: async ({ agents, left }: FixPlan) => {
      setFixing({ done: 0, all: agents.length });
      const { results, failures } = await runEach(
        agents,
        async ({ id, etags, findings }) => ({ id, ...(await applyFixes(client, id, etags, findings)) }),
        (done) => setFixing({ done, all: agents.length }),
      );
      const failed = [
        ...results
          .filter(({ notFixed }) => notFixed > 0)
          .map(({ id, notFixed }) => ({ id, count: notFixed, reason: words.notFixed })),
        ...failures.map(({ item, error }) => ({
          id: item.id,
          count: item.findings.length,
          reason: messageOf(error),
        })),
      ];
      return { results, left: addLeft(left, failed) };
    },
    onSuccess: ({ results, left }, { agents }) => {
      const files = results.flatMap((one) => one.files);
      const fixed = results.reduce((sum, one) => sum + one.fixed, 0);
      const done = { fixed, agents: results.filter((one) => one.fixed > 0).length, left };
      notify(
        words.done(fixed, done.agents),
        files.length > 0 ? { label: common.undo, run: () => void undoAll(client, files) } : undefined,
      );
      onDone(done);
      void refreshFixed(
        client,
        agents.flatMap(({ id, findings }) =>
          [...new Set(findings.map(({ file }) => file))].map((file) => ({ id, file })),
        ),
      );
    },
  });
  return { plan, checking, fix, fixing };
};
