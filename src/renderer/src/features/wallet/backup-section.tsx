import { lazy, Suspense, useState } from 'react';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';

const BackupDialog = lazy(() => import('./backup-dialog.tsx').then((it) => ({ default: it.BackupDialog })));
const RestoreDialog = lazy(() =>
  import('./restore-dialog.tsx').then((it) => ({ default: it.RestoreDialog })),
);

const words = strings.wallet.backup;

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
      <Suspense>
        {opened === 'backup' && <BackupDialog onOpenChange={onOpenChange} />}
        {opened === 'restore' && <RestoreDialog balance={balance} onOpenChange={onOpenChange} />}
      </Suspense>
    </Section>
  );
};
