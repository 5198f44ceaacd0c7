import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { signIn as words } from '../strings/sign-in.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { SignInForm } from './sign-in-form.tsx';

interface SignInPromptProps {
  /** Of its heading: 1 where it is the whole page. */
  readonly level?: 1 | 2;
  /** Reads it out when it appears. */
  readonly announce?: boolean;
  /** Another way on. */
  readonly children?: ReactNode;
}

/** Takes the place of what only a signed-in page can show. */
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
