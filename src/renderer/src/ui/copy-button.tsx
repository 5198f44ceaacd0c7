import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';
import { writeClipboard } from './clipboard.ts';
import { DialogActions, Modal } from './dialog.tsx';
import { Tooltip } from './tooltip.tsx';

const CONFIRMED_MS = 1500;

interface CopyButtonProps {
  readonly label: string;
  readonly text: string;
  /** Shows the label, as the main action of its place. */
  readonly primary?: boolean;
}

/** Copies a text to the clipboard and confirms it. If that is forbidden, shows the text to copy by hand. */
export const CopyButton = ({ label, text, primary = false }: CopyButtonProps) => {
  const [copied, setCopied] = useState(false);
  const [isRefused, setIsRefused] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    if (await writeClipboard(text)) setCopied(true);
    else setIsRefused(true);
  };
  const Icon = copied ? Check : Copy;
  return (
    <>
      {primary ? (
        <Button variant="primary" onClick={() => void copy()}>
          <Icon aria-hidden="true" className="size-4" />
          {copied ? strings.common.copied : label}
        </Button>
      ) : (
        <Tooltip label={copied ? strings.common.copied : label}>
          <Button variant="quiet" size="icon" aria-label={label} onClick={() => void copy()}>
            <Icon aria-hidden="true" className="size-3.5" />
          </Button>
        </Tooltip>
      )}
      {isRefused && <CopyByHand text={text} onClose={() => setIsRefused(false)} />}
    </>
  );
};

/** Shows a text, selected, that the page may not copy itself. */
const CopyByHand = ({ text, onClose }: { readonly text: string; readonly onClose: () => void }) => {
  const words = strings.common.copyByHand;
  return (
    <Modal
      showsOnly
      open
      onOpenChange={(open) => open || onClose()}
      title={words.title}
      description={words.hint}
    >
      <textarea
        readOnly
        rows={5}
        aria-label={words.field}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
        spellCheck={false}
        autoComplete="off"
        className="w-full resize-y rounded-md border border-line-strong bg-sunken px-2.5 py-2 font-mono text-sm break-all outline-offset-0"
      />
      <DialogActions>
        <Button onClick={onClose}>{strings.common.close}</Button>
      </DialogActions>
    </Modal>
  );
};
