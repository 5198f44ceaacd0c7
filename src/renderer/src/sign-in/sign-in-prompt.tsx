import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { signIn as words } from '../strings/sign-in.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { SignInForm } from './sign-in-form.tsx';

interface SignInPromptProps {
  /** The level of its heading: 1 if it is the whole page. */
  readonly level?: 1 | 2;
  /** Reads it out when it appears. */
  readonly announce?: boolean;
  /** Other ways to continue. */
  readonly children?: ReactNode;
}

/** Replaces content that only a signed-in page can show. */
export const SignInPrompt = ({ level = 2, announce = false, children }: SignInPromptProps) => (
  <EmptyState
    level={level}
    announce={announce}
    icon={KeyRound}
    title={words.title}
    hint={<p>{words.description}</p>}
  >
    <div className="flex w-110 max-w-full flex-col items-start gap-3">
      <SignInForm />
      {children}
    </div>
  </EmptyState>
);
