import type { ReactNode } from 'react';
import { Callout } from '../../ui/callout.tsx';

interface RefusalProps {
  readonly title: string;
  readonly code: string;
  readonly message: string;
  readonly advice?: string | undefined;
  /** Shown between the message and the advice. */
  readonly children?: ReactNode;
}

/** Says why a request to the wallet failed: the message, advice, and the error code. */
export const Refusal = ({ title, code, message, advice, children }: RefusalProps) => (
  <Callout tone="danger" title={title} announce="alert">
    <p>{message}</p>
    {children}
    {advice && <p>{advice}</p>}
    <code className="text-xs break-all text-muted">{code}</code>
  </Callout>
);
