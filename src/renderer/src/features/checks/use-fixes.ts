import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AgentChecks } from '../../../../shared/api/checks.ts';
import type { EditableFile } from '../../../../shared/api/names.ts';
import {
  applyFixes,
  type Fixable,
  type FixedFile,
  refreshFixed,
  restoreFile,
} from '../../fixes/apply-fixes.ts';
import { checks as words } from '../../strings/checks.ts';
import { common } from '../../strings/common.ts';
import { reportFailure, settleFailure } from '../../ui/failures.ts';
import { notify } from '../../ui/toast.tsx';

/** Fixes an agent's findings and offers Undo. */
export const useFixes = (id: string, etags: AgentChecks['etags']) => {
  const client = useQueryClient();

  const undo = async (files: readonly FixedFile[]): Promise<void> => {
    const restored: EditableFile[] = [];
    for (const one of files) {
      try {
        await restoreFile(one);
        restored.push(one.file);
      } catch (error) {
        reportFailure(`undo ${id} ${one.file}`, words.undoFailed(one.file), error);
      }
    }
    await refreshFixed(client, files);
    if (restored.length > 0) notify(words.undone(restored));
  };

  return useMutation({
    mutationFn: (findings: readonly Fixable[]) => applyFixes(client, id, etags, findings),
    onSuccess: ({ fixed, notFixed, files }) => {
      settleFailure(`fix ${id}`);
      const text = [fixed > 0 && words.fixed(fixed), notFixed > 0 && words.notFixed(notFixed)];
      const message = text.filter(Boolean).join('. ');
      if (files.length > 0) notify(message, { label: common.undo, run: () => void undo(files) });
      else notify(message);
    },
    onError: (error) => reportFailure(`fix ${id}`, words.fixFailed, error),
    onSettled: (_, __, findings) =>
      refreshFixed(
        client,
        findings.map(({ file }) => ({ id, file })),
      ),
  });
};
