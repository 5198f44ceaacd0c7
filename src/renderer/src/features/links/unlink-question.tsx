import type { LinkEntry } from '../../../../shared/api/links.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';

/** Asks before a link goes that cannot be made again here. */
export const UnlinkQuestion = ({
  entry,
  open,
  onCancel,
  onConfirm,
}: {
  /** Stays while the question closes. */
  readonly entry: LinkEntry | null;
  readonly open: boolean;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}) => {
  const words = strings.links;
  return (
    <Question
      open={open}
      onCancel={onCancel}
      title={words.confirmTitle(entry?.name ?? '')}
      description={words.confirmBody(entry?.linkTarget ?? '')}
    >
      <Button onClick={onCancel}>{strings.common.cancel}</Button>
      <Button variant="danger" onClick={onConfirm}>
        {words.unlink}
      </Button>
    </Question>
  );
};
