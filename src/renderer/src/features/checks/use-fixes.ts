import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type AgentChecks, type Finding, fixFindings } from '../../../../shared/api/checks.ts';
import { writeFile } from '../../../../shared/api/files.ts';
import { type EditableFile, isEditableFile } from '../../../../shared/api/names.ts';
import { call } from '../../api/client.ts';
import { fileQuery, keys } from '../../api/queries.ts';
import { checks as words } from '../../strings/checks.ts';
import { common } from '../../strings/common.ts';
import { reportFailure, settleFailure } from '../../ui/failures.ts';
import { notify } from '../../ui/toast.tsx';

/** A finding of an editable file, with a fix. */
type Fixable = Finding & { readonly file: EditableFile; readonly fix: NonNullable<Finding['fix']> };

/** Whether a finding can be fixed by the API. */
export const isFixable = (finding: Finding): finding is Fixable =>
  finding.fix !== undefined && isEditableFile(finding.file);

const placeOf = ({ rule, file, line, column }: Fixable) => ({ rule, file, line, column });

/** A file that was fixed, with the text it had before. */
interface FixedFile {
  readonly file: EditableFile;
  readonly before: string;
  readonly etag: string;
}

/** Fixes findings of an agent, and offers to undo that. */
export const useFixes = (id: string, etags: AgentChecks['etags']) => {
  const client = useQueryClient();
  const refresh = (files: readonly EditableFile[]) =>
    Promise.all([
      ...files.map((file) => client.invalidateQueries({ queryKey: keys.file(id, file) })),
      client.invalidateQueries({ queryKey: keys.summary(id) }),
      client.invalidateQueries({ queryKey: keys.agentChecks(id) }),
      client.invalidateQueries({ queryKey: keys.checkCounts }),
    ]);

  const undo = async (files: readonly FixedFile[]): Promise<void> => {
    const restored: EditableFile[] = [];
    for (const { file, before, etag } of files) {
      try {
        const headers = { 'if-match': etag };
        await call(writeFile, { params: { id }, headers, body: { path: file, content: before } });
        restored.push(file);
      } catch (error) {
        reportFailure(`undo ${id} ${file}`, words.undoFailed(file), error);
      }
    }
    await refresh(files.map(({ file }) => file));
    if (restored.length > 0) notify(words.undone(restored));
  };

  return useMutation({
    mutationFn: async (findings: readonly Fixable[]) => {
      const files = [...new Set(findings.map(({ file }) => file))];
      const before = await Promise.all(
        files.map(async (file) => ({ ...(await client.fetchQuery(fileQuery(id, file))), file })),
      );
      const body = { findings: findings.map(placeOf), etags };
      const done = await call(fixFindings, { params: { id }, headers: {}, body });
      const fixed = done.files.flatMap(({ file, etag }): FixedFile[] => {
        const old = before.find((one) => one.file === file);
        return old && old.etag === etags[file] ? [{ file, etag, before: old.content }] : [];
      });
      return { ...done, fixed };
    },
    onSuccess: ({ files, fixed, notFixed }) => {
      settleFailure(`fix ${id}`);
      const count = files.reduce((sum, file) => sum + file.fixed, 0);
      const text = [count > 0 && words.fixed(count), notFixed.length > 0 && words.notFixed(notFixed.length)];
      const message = text.filter(Boolean).join('. ');
      if (fixed.length > 0) notify(message, { label: common.undo, run: () => void undo(fixed) });
      else notify(message);
    },
    onError: (error) => reportFailure(`fix ${id}`, words.fixFailed, error),
    onSettled: (_, __, findings) => refresh([...new Set(findings.map(({ file }) => file))]),
  });
};
