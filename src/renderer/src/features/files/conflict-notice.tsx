import type { FileVersion } from '../../drafts/drafts.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';

interface ConflictNoticeProps {
  readonly file: string;
  readonly disk: FileVersion;
  /** When the draft was typed (ms since 1970), if it was restored from an earlier page. */
  readonly restoredFrom: number | null;
  readonly compares: boolean;
  readonly onCompare: (show: boolean) => void;
  readonly onReload: () => void;
  readonly onOverwrite: () => void;
}

/** Asks what to do with a draft after another program changed or deleted the file. */
export const ConflictNotice = (props: ConflictNoticeProps) => {
  const { file, disk, restoredFrom, compares, onCompare, onReload, onOverwrite } = props;
  const text = strings.conflict;
  const deleted = disk.etag === null;
  return (
    <Notice
      tone="warn"
      title={deleted ? text.deletedTitle(file) : text.title(file)}
      actions={
        <>
          <Button size="small" onClick={onReload}>
            {deleted ? text.reloadDeleted : text.reload}
          </Button>
          {!deleted && (
            <Button size="small" aria-pressed={compares} onClick={() => onCompare(!compares)}>
              {text.compare}
            </Button>
          )}
          {/* A comparison has a button of its own, next to the text that it saves. */}
          {!compares && (
            <Button size="small" onClick={onOverwrite}>
              {deleted ? text.overwriteDeleted : text.overwrite}
            </Button>
          )}
        </>
      }
    >
      {restoredFrom === null ? (
        bodyOf(deleted, compares)
      ) : (
        <>
          {text.bodyRestored} {strings.drafts.restoredHint}{' '}
          <TimeAgo at={new Date(restoredFrom).toISOString()} />
        </>
      )}
    </Notice>
  );
};

const bodyOf = (isDeleted: boolean, compares: boolean): string => {
  const text = strings.conflict;
  if (isDeleted) return text.bodyDeleted;
  return compares ? text.bodyCompared : text.body;
};
