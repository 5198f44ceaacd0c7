import { Copy } from 'lucide-react';
import { useState } from 'react';
import { useAction } from '../../commands/requested-action.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';

const DuplicateAgentDialog = lazyView(
  async () => (await import('./duplicate-agent-dialog.tsx')).DuplicateAgentDialog,
);

/** The button that copies an agent, and its dialog once it was asked for. */
export const DuplicateAgent = ({
  id,
  onDuplicated,
}: {
  readonly id: string;
  readonly onDuplicated: (name: string) => void;
}) => {
  const [open, setOpen] = useState<boolean>();
  useAction('duplicate-agent', () => setOpen(true), id);
  const words = strings.duplicateAgent;
  return (
    <>
      <Button variant="quiet" size="small" aria-label={words.openLabel(id)} onClick={() => setOpen(true)}>
        <Copy aria-hidden="true" className="size-3.5" />
        {words.open}
      </Button>
      {open !== undefined && (
        <DuplicateAgentDialog id={id} open={open} onOpenChange={setOpen} onDuplicated={onDuplicated} />
      )}
    </>
  );
};
