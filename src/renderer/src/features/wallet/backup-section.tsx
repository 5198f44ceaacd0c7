import { useState } from 'react';
import { wallet as texts } from '../../strings/wallet.ts';
import { Button } from '../../ui/button.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { Section } from '../../ui/section.tsx';

const BackupDialog = lazyView(async () => (await import('./backup-dialog.tsx')).BackupDialog);
const RestoreDialog = lazyView(async () => (await import('./restore-dialog.tsx')).RestoreDialog);

const words = texts.backup;

/** The ways to the backup words and back from them. */
export const BackupSection = ({ balance }: { readonly balance: number }) => {
  const [opened, setOpened] = useState<'backup' | 'restore' | null>(null);
  const onOpenChange = (open: boolean): void => {
    if (!open) setOpened(null);
  };
  return (
    <Section heading={words.heading}>
      <p className="text-pretty text-muted">{words.hint}</p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setOpened('backup')}>{words.show}</Button>
        <Button onClick={() => setOpened('restore')}>{words.restore}</Button>
      </div>
      {opened === 'backup' && <BackupDialog onOpenChange={onOpenChange} />}
      {opened === 'restore' && <RestoreDialog balance={balance} onOpenChange={onOpenChange} />}
    </Section>
  );
};
