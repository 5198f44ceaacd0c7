import { FileLock2, FilePlus2, FileQuestionMark, FileWarning, FileX2 } from 'lucide-react';
import { titleOf } from '../../../../shared/api/errors.ts';
import type { ApiError } from '../../api/client.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';

const ICONS: Readonly<Record<string, typeof FileX2>> = {
  not_text: FileQuestionMark,
  outside_root: FileLock2,
  permission_denied: FileLock2,
  not_a_file: FileX2,
  file_too_large: FileWarning,
};

interface FileProblemProps {
  readonly file: string;
  readonly error: ApiError;
  readonly startable: boolean;
  readonly onStart: () => void;
  readonly onRetry: () => void;
}

/** Replaces the editor of a file that can't be shown as text, with the server's reason. */
export const FileProblem = ({ file, error, startable, onStart, onRetry }: FileProblemProps) => {
  const words = strings.files;
  if (startable) {
    return (
      <EmptyState icon={FilePlus2} title={words.missingTitle(file)} hint={error.message}>
        <Button variant="primary" onClick={onStart}>
          {words.startEmpty(file)}
        </Button>
      </EmptyState>
    );
  }
  const title = titleOf(error.code);
  const icon = ICONS[error.code];
  if (!title || !icon) return <ErrorState error={error} onRetry={onRetry} />;
  return (
    <EmptyState
      icon={icon}
      title={title}
      hint={
        <>
          <p>{error.message}</p>
          <p>{words.problemHint}</p>
        </>
      }
    >
      <Button onClick={onRetry}>{strings.common.tryAgain}</Button>
    </EmptyState>
  );
};
