import { historyWords as words } from '../strings/history.ts';
import { Sheet } from '../ui/sheet.tsx';
import { ChangeList } from './change-list.tsx';

interface RecentChangesProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** A sheet with all changes to agents and shared entries. */
export const RecentChanges = ({ open, onClose }: RecentChangesProps) => (
  <Sheet
    open={open}
    onOpenChange={(next) => next || onClose()}
    title={words.title}
    description={words.description}
    width="wide"
  >
    <div className="px-5 py-4">
      <ChangeList isShown={open} />
    </div>
  </Sheet>
);
