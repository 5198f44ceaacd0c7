/**
 * The three ways to show a failure:
 *
 * - A toast ({@link reportFailure}), if what the person pressed is gone or is a row, menu, key or command, so that no
 *   text could stay next to it. Also for what fails in the background.
 * - Inline, if the form, dialog or part of a view stays: {@link Failure} for a request, next to the button that sends
 *   it again, {@link Problem} for one field or row, and a `Notice` across the text of an editor or a table.
 * - The whole view (`ErrorState`), in place of content that couldn't be read. It can be read again from there.
 *
 * Each shows the server's sentence, and none repeats another.
 */
import type { ComponentProps, ReactNode } from 'react';
import { Callout } from './callout.tsx';
import { type ToastAction, toasts } from './toast.tsx';

/** Functions that dismiss the visible failures, by what failed. */
const shown = new Map<string, () => void>();

/** Dismisses a failure, because the action succeeded or is being retried. */
export const dismissFailure = (about: string): void => {
  shown.get(about)?.();
  shown.delete(about);
};

interface FailureOptions {
  /** A way to continue. */
  readonly action?: ToastAction | undefined;
  /** What failed. A new failure replaces the last one about the same. The title, by default. */
  readonly about?: string;
}

/** Shows a toast that stays until it's dismissed, with the server's or the desktop app's sentence, if there's one. */
export const reportFailure = (title: string, error?: unknown, options: FailureOptions = {}): void => {
  const { action, about = title } = options;
  dismissFailure(about);
  const id = toasts.add({
    title,
    description: error instanceof Error ? error.message : error === undefined ? undefined : String(error),
    type: 'failure',
    // With high priority, assistive technology wouldn't find the toast's action until focus is in the corner.
    priority: action ? 'low' : 'high',
    timeout: 0,
    ...(action && {
      actionProps: {
        children: action.label,
        onClick: () => {
          dismissFailure(about);
          action.run();
        },
      },
    }),
  });
  shown.set(about, () => toasts.close(id));
};

interface FailureProps {
  readonly title?: string | undefined;
  /** The server's sentence. Undefined if the title says everything. */
  readonly message: string | undefined;
  /** The error code, where a person may have to name it to get help. */
  readonly code?: string;
  readonly advice?: string | undefined;
  /** More about the failure, before the advice. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** Says that a request of the form, dialog or part around it failed, and why. */
export const Failure = ({ title, message, code, advice, children, actions }: FailureProps) => (
  <Callout tone="danger" announce="alert" actions={actions} {...(title === undefined ? {} : { title })}>
    {message && <p>{message}</p>}
    {children}
    {advice && <p>{advice}</p>}
    {code && <code className="text-xs break-all text-muted">{code}</code>}
  </Callout>
);

interface ProblemProps extends ComponentProps<'p'> {
  /** Makes screen readers announce the problem when it appears. */
  readonly announce?: boolean;
}

/** Says what's wrong with the field or row that it's in. */
export const Problem = ({ announce = false, ...rest }: ProblemProps) => (
  <p {...rest} role={announce ? 'alert' : undefined} className="text-sm text-danger wrap-anywhere" />
);
