import { useMutation, useQueryClient } from '@tanstack/react-query';
import { canKeepSignedIn, keepSignedIn, pageSession } from '../api/page-session.ts';
import { keys } from '../api/queries.ts';
import { tokenInText } from '../api/session.ts';
import { signIn as words } from '../strings/sign-in.ts';
import { notifyFailure } from '../ui/toast.tsx';
import { browserName } from './browser-name.ts';

/** Signs this page in. */
interface SignIn {
  readonly canKeep: boolean;
  readonly isPending: boolean;
  /** Why it failed, if it did. */
  readonly error: string | undefined;
  readonly submit: (text: string, keep: boolean) => void;
  readonly reset: () => void;
}

const signIn = async ({ text, keep }: { text: string; keep: boolean }): Promise<boolean> => {
  if (!(await pageSession.signIn(tokenInText(text)))) return false;
  if (keep) {
    const name = browserName(navigator.userAgent);
    await keepSignedIn(name).catch((error: unknown) => notifyFailure(words.keepFailed, error));
  }
  return true;
};

/** Signs this page in with pasted text. Calls `onDone` once it is signed in. */
export const useSignIn = (onDone?: () => void): SignIn => {
  const client = useQueryClient();
  const { mutate, isPending, data, error, reset } = useMutation({
    mutationFn: signIn,
    onSuccess: (isSignedIn) => isSignedIn && onDone?.(),
    // The list was read right after the sign-in, before it contained this browser.
    onSettled: () => client.invalidateQueries({ queryKey: keys.pageKeys }),
  });
  return {
    canKeep: canKeepSignedIn(),
    isPending,
    error: error ? error.message : data === false ? words.wrong : undefined,
    submit: (text, keep) => mutate({ text, keep }),
    reset,
  };
};
