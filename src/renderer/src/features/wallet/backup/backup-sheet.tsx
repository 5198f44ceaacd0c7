import { useEffect, useRef, useState } from 'react';
import type { Balance } from '../../../../../shared/api/wallet.ts';
import { common } from '../../../strings/common.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { lazyView } from '../../../ui/lazy-view.tsx';
import { Sheet } from '../../../ui/sheet.tsx';
import { TimeAgo } from '../../../ui/time-ago.tsx';
import { RestoreStatus } from './restore-status.tsx';
import { useSearch } from './use-restore.ts';

const BackupDialog = lazyView(async () => (await import('./backup-steps.tsx')).BackupDialog);
const RestoreDialog = lazyView(async () => (await import('./restore-form.tsx')).RestoreDialog);

interface BackupSheetProps {
  readonly balance: Balance;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Shows the backup words, restores from words, and rescans for missing sats. */
export const BackupSheet = ({ balance, open, onOpenChange }: BackupSheetProps) => (
  <Sheet open={open} onOpenChange={onOpenChange} title={words.backup.heading} description={words.backup.hint}>
    <Backup balance={balance} />
  </Sheet>
);

const Backup = ({ balance }: Pick<BackupSheetProps, 'balance'>) => {
  const [opened, setOpened] = useState<'backup' | 'restore' | null>(null);
  const { state, progress, rescan, clear } = useSearch('rescan');
  const onOpenChange = (open: boolean): void => {
    if (!open) setOpened(null);
  };
  const openRestore = (): void => {
    // The last search's result doesn't apply to the words that a person types next.
    clear();
    setOpened('restore');
  };
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The status appears at the end of this section, often offscreen.
    if (state.status !== 'idle') place.current?.scrollIntoView({ block: 'nearest' });
  }, [state.status]);
  const isMissing = balance.seed === 'missing';
  const isRescanning = state.status === 'running' && state.kind === 'rescan';
  return (
    <div className="flex min-w-0 flex-col gap-2 px-5 py-4">
      {isMissing ? (
        <Callout tone="danger">{words.backup.missing}</Callout>
      ) : balance.backedUpAt === undefined ? (
        <Callout tone="warn" title={words.backup.notBackedUp}>
          <p>{words.backup.notBackedUpHint}</p>
        </Callout>
      ) : (
        <Callout tone="ok" title={words.backup.backedUp}>
          <p>
            <TimeAgo at={balance.backedUpAt} text={words.backup.confirmed} />
          </p>
        </Callout>
      )}
      <div className="flex flex-wrap gap-2">
        <Button disabled={isMissing} onClick={() => setOpened('backup')}>
          {words.backup.show}
        </Button>
        <Button disabled={isMissing} onClick={openRestore}>
          {words.backup.restore}
        </Button>
      </div>
      <p className="mt-1 text-pretty text-muted">{words.backup.rescanHint}</p>
      <div>
        <Button disabled={isMissing || state.status === 'running'} onClick={rescan}>
          {isRescanning ? words.backup.rescanning : words.backup.rescan}
        </Button>
      </div>
      {/* The restore dialog shows the status of its own search. */}
      {opened !== 'restore' && (
        <div ref={place}>
          <RestoreStatus state={state} progress={progress}>
            <div>
              <Button size="small" onClick={clear}>
                {common.dismiss}
              </Button>
            </div>
          </RestoreStatus>
        </div>
      )}
      {opened === 'backup' && <BackupDialog onOpenChange={onOpenChange} />}
      {opened === 'restore' && <RestoreDialog isEmpty={isEmpty(balance)} onOpenChange={onOpenChange} />}
    </div>
  );
};

const isEmpty = ({ balance, pending, expired = 0, otherMints = [] }: Balance): boolean =>
  balance + pending + expired === 0 && otherMints.length === 0;
