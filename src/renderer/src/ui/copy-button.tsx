import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';
import { notify } from './toast.tsx';
import { Tooltip } from './tooltip.tsx';

const CONFIRMED_MS = 1500;

/** Copies a text to the clipboard, and shows that it did. */
export const CopyButton = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => notify(strings.common.copyFailed),
    );
  };
  const Icon = copied ? Check : Copy;
  return (
    <Tooltip label={copied ? strings.common.copied : label}>
      <Button variant="quiet" size="icon" aria-label={label} onClick={copy}>
        <Icon aria-hidden="true" className="size-3.5" />
      </Button>
    </Tooltip>
  );
};
