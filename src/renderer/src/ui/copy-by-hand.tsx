// In a separate file, so that the first view doesn't load this dialog. Few browsers refuse to copy.
import { common } from '../strings/common.ts';
import { Button } from './button.tsx';
import { DialogActions, Modal } from './dialog.tsx';

/** Shows selected text for the person to copy, because the browser refused to. */
export const CopyByHand = ({ text, onClose }: { readonly text: string; readonly onClose: () => void }) => {
  return (
    <Modal
      showsOnly
      open
      onOpenChange={(open) => open || onClose()}
      title={common.copyByHand.title}
      description={common.copyByHand.hint}
    >
      <textarea
        readOnly
        rows={5}
        aria-label={common.copyByHand.field}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
        spellCheck={false}
        autoComplete="off"
        className="w-full resize-y rounded-md border border-line-strong bg-sunken px-2.5 py-2 font-mono text-sm break-all outline-offset-0"
      />
      <DialogActions>
        <Button onClick={onClose}>{common.close}</Button>
      </DialogActions>
    </Modal>
  );
};
