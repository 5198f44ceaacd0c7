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

/** Imports prices from a list: which list, then which of its changes. */
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
      {/* Begins anew each time: a closed dialog has no content. */}
      <ImportSteps onDone={() => onOpenChange(false)} />
    </Modal>
  );
};

const ImportSteps = ({ onDone }: { readonly onDone: () => void }) => {
  const state = useImport(onDone);
  // Kept over the second step: one may come back from it.
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  return state.step === 'choosing' ? (
    <ImportSource state={state} draft={draft} onDraft={setDraft} onCancel={onDone} />
  ) : (
    <ImportChanges state={state} />
  );
};
