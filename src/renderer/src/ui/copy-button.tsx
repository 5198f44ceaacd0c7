import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { common } from '../strings/common.ts';
import { Button } from './button.tsx';
import { writeClipboard } from './clipboard.ts';
import { lazyView } from './lazy-view.tsx';
import { Tooltip } from './tooltip.tsx';

const CopyByHand = lazyView(async () => (await import('./copy-by-hand.tsx')).CopyByHand, 'part');

const CONFIRMED_MS = 1500;

interface CopyButtonProps {
  readonly label: string;
  readonly text: string;
  /** True for a view's main action, which shows its label. */
  readonly primary?: boolean;
}

/** Copies text to the clipboard and confirms it. If the browser refuses, shows the text to copy by hand. */
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
          {copied ? common.copied : label}
        </Button>
      ) : (
        <Tooltip label={copied ? common.copied : label}>
          <Button variant="quiet" size="icon" aria-label={label} onClick={() => void copy()}>
            <Icon aria-hidden="true" className="size-3.5" />
          </Button>
        </Tooltip>
      )}
      {isRefused && <CopyByHand text={text} onClose={() => setIsRefused(false)} />}
    </>
  );
};
