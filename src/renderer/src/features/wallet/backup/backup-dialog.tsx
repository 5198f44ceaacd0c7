// Its own file because it is loaded lazily, with the words and their check.
import { wallet as words } from '../../../strings/wallet.ts';
import { strings } from '../../../strings.ts';
import { Modal } from '../../../ui/dialog.tsx';
import { BackupSteps } from './backup-steps.tsx';

/** Shows the backup words and checks that they were written down. Closing it hides them. */
export const BackupDialog = ({ onOpenChange }: { readonly onOpenChange: (open: boolean) => void }) => (
  <Modal
    showsOnly
    open
    onOpenChange={onOpenChange}
    title={words.backup.title}
    description={words.backup.description}
  >
    <BackupSteps cancelLabel={strings.common.cancel} onClose={() => onOpenChange(false)} />
  </Modal>
);
