import { useState } from 'react';
import { pricing as texts } from '../../../strings/pricing.ts';
import { Modal } from '../../../ui/dialog.tsx';
import { ImportChanges } from './import-changes.tsx';
import { EMPTY_DRAFT, ImportSource } from './import-source.tsx';
import { useImport, useIsWriting } from './use-import.ts';

const words = texts.import;

interface ImportDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Imports prices: first choose a price list, then choose among its changes. */
export const ImportDialog = ({ open, onOpenChange }: ImportDialogProps) => {
  const isWriting = useIsWriting();
  return (
    <Modal
      open={open}
      onOpenChange={(next) => {
        if (!isWriting) onOpenChange(next);
      }}
      title={words.title}
      description={words.description}
      width="wide"
    >
      {/* Starts over each time, because a closed dialog has no content. */}
      <ImportSteps onDone={() => onOpenChange(false)} />
    </Modal>
  );
};

const ImportSteps = ({ onDone }: { readonly onDone: () => void }) => {
  const state = useImport(onDone);
  // Kept during the second step, which has a Back button.
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  return state.step === 'choosing' ? (
    <ImportSource state={state} draft={draft} onDraft={setDraft} onCancel={onDone} />
  ) : (
    <ImportChanges state={state} />
  );
};
