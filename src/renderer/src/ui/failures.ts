import { notifyFailure, type ToastAction } from './toast.tsx';

/** How to dismiss the failures on the screen, by what failed. */
const shown = new Map<string, () => void>();

/** Dismisses the failure of this thing, because it succeeded or is tried again. */
export const settleFailure = (what: string): void => {
  shown.get(what)?.();
  shown.delete(what);
};

/** Like `notifyFailure`, until the same thing fails again or {@link settleFailure} is called. */
export const reportFailure = (what: string, title: string, error: unknown, action?: ToastAction): void => {
  settleFailure(what);
  shown.set(what, notifyFailure(title, error, action));
};
