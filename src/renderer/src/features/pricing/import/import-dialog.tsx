import { useState } from 'react';
import { unsaved, useUnsaved } from '../../../drafts/unsaved.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { Modal } from '../../../ui/dialog.tsx';
import { ImportChanges } from './import-changes.tsx';
import { EMPTY_DRAFT, type ImportDraft, ImportSource, importDraft } from './import-source.tsx';
import { useImport, useIsWriting } from './use-import.ts';

interface ImportDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

const IMPORT_KEY = 'pricing/import';

/** Whether the text of an import was typed and neither imported nor dropped. */
export const hasTypedImport = (): boolean => unsaved.get(IMPORT_KEY) !== undefined;

/** Imports prices: first choose a price list, then choose among its changes. */
export const ImportDialog = ({ open, onOpenChange }: ImportDialogProps) => {
  const isWriting = useIsWriting();
  const close = (next: boolean): void => {
    if (!next) unsaved.drop(IMPORT_KEY);
    onOpenChange(next);
  };
  return (
    <Modal
      open={open}
      onOpenChange={(next) => {
        if (!isWriting) close(next);
      }}
      title={words.import.title}
      description={words.import.description}
      width="wide"
    >
      <ImportSteps onDone={() => close(false)} />
    </Modal>
  );
};

const ImportSteps = ({ onDone }: { readonly onDone: () => void }) => {
  const state = useImport(onDone);
  // Kept during the second step, which has a Back button, and when the person leaves the page and returns.
  const [kept, setKept] = useUnsaved(IMPORT_KEY, importDraft);
  const [draft, setDraft] = useState(kept ?? EMPTY_DRAFT);
  const change = (next: ImportDraft): void => {
    setDraft(next);
    setKept(next.text.content === '' ? null : next);
  };
  return state.step === 'choosing' ? (
    <ImportSource state={state} draft={draft} onDraft={change} onCancel={onDone} />
  ) : (
    <ImportChanges state={state} />
  );
};
