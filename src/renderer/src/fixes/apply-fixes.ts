import type { QueryClient } from '@tanstack/react-query';
import { type AgentChecks, type Finding, fixFindings } from '../../../shared/api/checks.ts';
import { writeFile } from '../../../shared/api/files.ts';
import { type EditableFile, isEditableFile } from '../../../shared/api/names.ts';
import { call } from '../api/client.ts';
import { fileQuery, keys } from '../api/queries.ts';

/** A finding in an editable file, with a fix. */
export type Fixable = Finding & {
  readonly file: EditableFile;
  readonly fix: NonNullable<Finding['fix']>;
};

/** Returns whether the API can fix a finding. */
export const isFixable = (finding: Finding): finding is Fixable =>
  finding.fix !== undefined && isEditableFile(finding.file);

const placeOf = ({ rule, file, line, column }: Fixable) => ({ rule, file, line, column });

/** A file that was fixed, with the text it had before. */
export interface FixedFile {
  readonly id: string;
  readonly file: EditableFile;
  readonly before: string;
  readonly etag: string;
}

/** The result of {@link applyFixes}. */
export interface AppliedFixes {
  readonly fixed: number;
  readonly notFixed: number;
  /** The files that {@link restoreFile} can restore. */
  readonly files: readonly FixedFile[];
}

/** Fixes an agent's findings. `etags` come from the check that found them. Throws the API's error. */
export const applyFixes = async (
  client: QueryClient,
  id: string,
  etags: AgentChecks['etags'],
  findings: readonly Fixable[],
): Promise<AppliedFixes> => {
  const names = [...new Set(findings.map(({ file }) => file))];
  const before = await Promise.all(
    // Don't use the cache: if its response is older than the check, the file couldn't be restored.
    names.map(async (file) => ({
      ...(await client.fetchQuery({ ...fileQuery(id, file), staleTime: 0 })),
      file,
    })),
  );
  const body = { findings: findings.map(placeOf), etags };
  const { files, notFixed } = await call(fixFindings, { params: { id }, headers: {}, body });
  return {
    fixed: files.reduce((sum, file) => sum + file.fixed, 0),
    notFixed: notFixed.length,
    files: files.flatMap(({ file, etag }): FixedFile[] => {
      const old = before.find((one) => one.file === file);
      return old && old.etag === etags[file] ? [{ id, file, etag, before: old.content }] : [];
    }),
  };
};

/** Writes the text that a file had before its fixes. Throws the API's error, for example if it has changed since. */
export const restoreFile = async ({ id, file, before, etag }: FixedFile): Promise<void> => {
  await call(writeFile, {
    params: { id },
    headers: { 'if-match': etag },
    body: { path: file, content: before },
  });
};

/** Refetches data that fixes in these files affect. */
export const refreshFixed = (
  client: QueryClient,
  files: readonly { readonly id: string; readonly file: EditableFile }[],
): Promise<unknown> =>
  Promise.all([
    ...files.map(({ id, file }) => client.invalidateQueries({ queryKey: keys.file(id, file) })),
    ...[...new Set(files.map(({ id }) => id))].flatMap((id) => [
      client.invalidateQueries({ queryKey: keys.summary(id) }),
      client.invalidateQueries({ queryKey: keys.agentChecks(id) }),
    ]),
    client.invalidateQueries({ queryKey: keys.checkCounts }),
  ]);
