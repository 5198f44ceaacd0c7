import { notifyFailure, type ToastAction } from './toast.tsx';

/** Functions that dismiss the visible failures, by what failed. */
const shown = new Map<string, () => void>();

/** Dismisses a failure, because the action succeeded or is being retried. */
export const settleFailure = (what: string): void => {
  shown.get(what)?.();
  shown.delete(what);
};

/** Like `notifyFailure`, but dismisses the notice if the same action fails again or {@link settleFailure} is called. */
export const reportFailure = (what: string, title: string, error: unknown, action?: ToastAction): void => {
  settleFailure(what);
  shown.set(what, notifyFailure(title, error, action));
};
