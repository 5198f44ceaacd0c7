import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { MouseEvent } from 'react';
import { common } from '../strings/common.ts';
import { buttonClass } from './button.tsx';
import { cx } from './cx.ts';

/** The visible toasts. `notify` and `reportFailure` add them. */
export const toasts = Toast.createToastManager();

// Long enough to read, reach for the mouse and change your mind. Hovering or focusing stops the clock.
const WITH_ACTION_MS = 10_000;

/** An action that a toast offers. */
export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

/** Reports that something was done, and can offer an action. The returned function dismisses the toast. */
export const notify = (title: string, action?: ToastAction): (() => void) => {
  if (!action) {
    const plain = toasts.add({ title });
    return () => toasts.close(plain);
  }
  const take = (): void => {
    toasts.close(id);
    action.run();
  };
  const id = toasts.add({
    title,
    timeout: WITH_ACTION_MS,
    actionProps: { children: action.label, onClick: take },
  });
  return () => toasts.close(id);
};

let dismissBackground = (): void => {};

/** Reports an event that the person didn't cause. At most one such toast is shown: a newer one replaces it. */
export const notifyInBackground = (title: string, action?: ToastAction): void => {
  dismissBackground();
  dismissBackground = notify(title, action);
};

// Clicks on a toast don't move focus, because a closing toast returns focus only if the keyboard moved it there.
const keepFocus = (event: MouseEvent): void => event.preventDefault();

// Toasts cover the page. While a dialog is open, they're at the top, so that they don't cover its buttons. In a short
// window, only the newest one fits, and the others appear when the dialog closes. While a sheet is open on the right,
// toasts are on the left.
const VIEWPORT = cx(
  'fixed right-4 bottom-4 z-10 w-90 max-w-[calc(100vw-2rem)] outline-none [--toast-side:-1]',
  'single:sheet-open:right-auto single:sheet-open:left-4',
  'dialog-open:top-2 dialog-open:bottom-auto dialog-open:[--toast-side:1] dialog-open:low:*:not-first:hidden',
);

// Stacked by `translate`, so that older toasts make room for a newer one without a layout shift.
const TOAST = cx(
  'absolute inset-x-0 bottom-0 rounded-lg bg-raised shadow-popup dialog-open:top-0 dialog-open:bottom-auto',
  'translate-x-(--toast-swipe-movement-x) transition-[opacity,translate] duration-150 ease-out',
  'translate-y-[calc(var(--toast-side)*(var(--toast-offset-y)+var(--toast-index)*0.5rem))]',
  'data-ending-style:opacity-0 data-limited:hidden data-starting-style:translate-y-2 data-starting-style:opacity-0',
);

/** The corner where toasts appear. F6 moves focus there. Mount it only once. */
export const ToastRegion = () => (
  <Toast.Provider toastManager={toasts}>
    <Toast.Portal>
      <Toast.Viewport className={VIEWPORT}>
        <ToastList />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
);

const ToastList = () => {
  const { toasts: visible } = Toast.useToastManager();
  return visible.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={TOAST}>
      <Toast.Content className="flex items-center gap-2 py-2.5 pr-2.5 pl-3.5">
        <div className="min-w-0 flex-1 break-words">
          <Toast.Title className={cx('font-medium', toast.type === 'failure' && 'text-danger')} />
          <Toast.Description className="text-muted" />
        </div>
        {toast.actionProps && (
          <Toast.Action onMouseDown={keepFocus} className={buttonClass('secondary', 'small')} />
        )}
        <Toast.Close
          onMouseDown={keepFocus}
          aria-label={common.dismiss}
          className={buttonClass('quiet', 'icon')}
        >
          <X aria-hidden="true" className="size-3.5" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
};
