import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { lazyView } from '../ui/lazy-view.tsx';

const FixAllDialog = lazyView(async () => (await import('./fix-all-dialog.tsx')).FixAllDialog, 'part');

interface FixAllButtonProps {
  readonly label: string;
  /** The agents to fix. Defaults to all agents. */
  readonly ids?: readonly string[];
}

/** A button that fixes findings in several agents after a confirmation. */
export const FixAllButton = ({ label, ids }: FixAllButtonProps) => {
  const [open, setOpen] = useState(false);
  // Each dialog begins with its own check.
  const [round, setRound] = useState(0);
  const ask = (): void => {
    setRound((before) => before + 1);
    setOpen(true);
  };
  return (
    <>
      <Button size="small" onClick={ask}>
        {label}
      </Button>
      {round > 0 && <FixAllDialog key={round} ids={ids} open={open} onOpenChange={setOpen} />}
    </>
  );
};
