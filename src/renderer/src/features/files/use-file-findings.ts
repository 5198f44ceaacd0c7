// Apart from its user, because components don't fetch.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Finding } from '../../../../shared/api/checks.ts';
import type { EditableFile } from '../../../../shared/api/names.ts';
import { agentChecksQuery } from '../../api/queries.ts';

/**
 * The findings in the version of a file that has this etag. Undefined while another version is checked, so that
 * the marks of the last one can stay.
 */
export const useFileFindings = (
  id: string,
  file: EditableFile,
  etag: string | null,
): readonly Finding[] | undefined => {
  const { data } = useQuery(agentChecksQuery(id));
  return useMemo(
    () =>
      data && etag !== null && data.etags[file] === etag
        ? data.findings.filter((finding) => finding.file === file)
        : undefined,
    [data, file, etag],
  );
};
