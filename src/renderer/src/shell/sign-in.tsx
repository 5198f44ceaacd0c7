import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { after } from '../api/invalidations.ts';
import { canKeepSignedIn, keepSignedIn, pageSession } from '../api/page-session.ts';
import { tokenInText } from '../api/session.ts';
import { signInWords as words } from '../strings/sign-in.ts';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/dialog.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { reportFailure } from '../ui/failures.tsx';
import { CheckboxField, TextField } from '../ui/field.tsx';

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

const find = (list: typeof BROWSERS, text: string) => list.find(([pattern]) => pattern.test(text))?.[1];

/** Returns a readable name for a browser, such as "Firefox on Linux". */
export const browserName = (userAgent: string): string =>
  words.browserName(
    find(BROWSERS, userAgent) ?? words.someBrowser,
    find(SYSTEMS, userAgent) ?? words.someSystem,
  );

interface SignIn {
  readonly canKeep: boolean;
  readonly isPending: boolean;
  /** Why the sign-in failed, if it did. */
  readonly error: string | undefined;
  readonly submit: (text: string, keep: boolean) => void;
  readonly reset: () => void;
}

const signIn = async ({ text, keep }: { text: string; keep: boolean }): Promise<boolean> => {
  if (!(await pageSession.signIn(tokenInText(text)))) return false;
  if (keep) {
    const name = browserName(navigator.userAgent);
    await keepSignedIn(name).catch((error: unknown) => reportFailure(words.keepFailed, error));
  }
  return true;
};

/** Signs this page in with pasted text. Calls `onDone` once it's signed in. */
const useSignIn = (onDone?: () => void): SignIn => {
  const { mutate, isPending, data, error, reset } = useMutation({
    mutationFn: signIn,
    onSuccess: (isSignedIn) => isSignedIn && onDone?.(),
    // Refetch the list, because the one fetched right after the sign-in doesn't contain this browser yet.
    meta: { refresh: after.signedInBrowsers() },
  });
  return {
    canKeep: canKeepSignedIn(),
    isPending,
    error: error ? error.message : data === false ? words.wrong : undefined,
    submit: (text, keep) => mutate({ text, keep }),
    reset,
  };
};

/** Signs the page in with the printed link or a token. */
export const SignInForm = ({ onDone }: { readonly onDone?: () => void }) => {
  const { canKeep, isPending, error, submit, reset } = useSignIn(onDone);
  const [text, setText] = useState('');
  const [keeps, setKeeps] = useState(false);
  const change = (next: string): void => {
    setText(next);
    if (error !== undefined) reset();
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    // In a dialog, the event would also submit the form around the button that opened it.
    event.stopPropagation();
    if (text.trim() !== '') submit(text, keeps && canKeep);
  };
  return (
    <form onSubmit={onSubmit} className="flex w-full max-w-110 flex-col gap-3 text-left">
      <TextField label={words.field} value={text} onValueChange={change} error={error} secret />
      {canKeep && (
        <CheckboxField label={words.keep} hint={words.keepHint} checked={keeps} onCheckedChange={setKeeps} />
      )}
      <div>
        <Button type="submit" variant="primary" disabled={text.trim() === '' || isPending}>
          {isPending ? words.submitting : words.submit}
        </Button>
      </div>
    </form>
  );
};

/** Signs in next to an action that needs it, so that nothing typed there is lost. */
export const SignInButton = () => {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setIsOpen(true)}>
        {words.open}
      </Button>
      <Modal open={isOpen} onOpenChange={setIsOpen} title={words.title} description={words.description}>
        <SignInForm onDone={() => setIsOpen(false)} />
      </Modal>
    </>
  );
};

interface SignInPromptProps {
  /** The heading level: 1 if the prompt is the entire page. */
  readonly level?: 1 | 2;
  /** True to announce the prompt to screen readers when it appears. */
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
