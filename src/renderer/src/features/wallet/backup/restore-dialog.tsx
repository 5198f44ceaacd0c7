// Its own file because it is loaded lazily, with the words of BIP-39.
import { wallet as words } from '../../../strings/wallet.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Modal } from '../../../ui/dialog.tsx';
import { RestoreForm } from './restore-form.tsx';
import { restoreStore } from './restore-store.ts';

interface RestoreDialogProps {
  /** Whether the wallet is empty, so that it would use the words from now on. */
  readonly isEmpty: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Restores sats with backup words. */
export const RestoreDialog = ({ isEmpty, onOpenChange }: RestoreDialogProps) => {
  const close = (): void => {
    restoreStore.clear();
    onOpenChange(false);
  };
  return (
    <Modal
      open
      onOpenChange={(open) => open || close()}
      title={words.restore.title}
      description={words.restore.description}
    >
      <RestoreForm submitLabel={words.restore.submit} onClose={close}>
        <dl className="flex flex-col gap-2">
          {(['empty', 'filled'] as const).map((name) => (
            <div key={name}>
              <dt className="flex flex-wrap items-center gap-x-2 font-medium">
                {words.restore.cases[name].title}
                {isEmpty === (name === 'empty') && <Badge>{words.restore.thisWallet}</Badge>}
              </dt>
              <dd className="text-pretty text-muted">{words.restore.cases[name].hint}</dd>
            </div>
          ))}
        </dl>
      </RestoreForm>
    </Modal>
  );
};
