import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog } from '@base-ui/react/dialog';
import type { ComponentProps, FormEvent, ReactNode } from 'react';
import { GIVES_WAY } from '../shell/shortcuts.ts';
import { common } from '../strings/common.ts';
import { Button } from './button.tsx';
import { cx } from './cx.ts';
import { useReturnFocus } from './use-return-focus.ts';

const BACKDROP =
  'fixed inset-0 bg-scrim transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0';
// Always leave room for a toast at the top, so that nothing moves when toasts appear or disappear.
const POPUP =
  'fixed inset-0 m-auto flex h-fit max-h-[calc(100dvh-8rem)] max-w-[calc(100vw-2rem)] flex-col gap-4 ' +
  'low:top-16 low:bottom-2 low:max-h-[calc(100dvh-4.5rem)] ' +
  'overflow-auto rounded-xl bg-raised p-5 shadow-popup transition-[opacity,scale] duration-100 ease-out ' +
  'data-ending-style:scale-[0.98] data-ending-style:opacity-0 data-starting-style:scale-[0.98] ' +
  'data-starting-style:opacity-0 outline-none';
const WIDTHS = { normal: 'w-110', wide: 'w-180' } as const;
const TITLE = 'text-lg font-semibold break-words';
const DESCRIPTION = 'text-muted text-pretty break-words';

interface ModalProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children: ReactNode;
  readonly width?: keyof typeof WIDTHS;
  /** True if the dialog has no input, so that a click outside closes it too. */
  readonly showsOnly?: boolean;
  /** The element that gets focus afterwards, if the one that opened the dialog may be gone. */
  readonly finalFocus?: ComponentProps<typeof Dialog.Popup>['finalFocus'];
}

/** A dialog, usually with a form. Escape closes it. A click outside doesn't, so that typed text isn't lost. */
export const Modal = ({
  open,
  onOpenChange,
  title,
  description,
  children,
  width = 'normal',
  showsOnly = false,
  finalFocus,
}: ModalProps) => {
  const focus = useReturnFocus(open);
  return (
    <Dialog.Root
      open={open}
      onOpenChange={onOpenChange}
      onOpenChangeComplete={(isOpen) => isOpen || focus.onClosed()}
      disablePointerDismissal={!showsOnly}
    >
      <Dialog.Portal>
        {/* Also covers a dialog that opened this one. */}
        <Dialog.Backdrop forceRender className={BACKDROP} />
        <Dialog.Popup
          data-dialog
          {...(showsOnly ? { [GIVES_WAY]: '' } : {})}
          className={cx(POPUP, WIDTHS[width])}
          finalFocus={finalFocus ?? focus.finalFocus}
        >
          <div className="flex flex-col gap-1">
            <Dialog.Title className={TITLE}>{title}</Dialog.Title>
            {description && <Dialog.Description className={DESCRIPTION}>{description}</Dialog.Description>}
          </div>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
};

interface FormDialogProps extends Omit<ModalProps, 'showsOnly'> {
  readonly submitLabel: string;
  /** Called only while the form can be submitted. */
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  readonly canSubmit?: boolean;
  /** True while a response is awaited. The dialog then stays open. */
  readonly isPending?: boolean;
  readonly variant?: 'primary' | 'danger';
}

/** A dialog that sends what was typed or confirmed: its fields, Cancel, and a button that submits. */
export const FormDialog = ({
  submitLabel,
  onSubmit,
  canSubmit = true,
  isPending = false,
  variant = 'primary',
  onOpenChange,
  children,
  ...modal
}: FormDialogProps) => (
  <Modal {...modal} onOpenChange={(next) => isPending || onOpenChange(next)}>
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (canSubmit && !isPending) onSubmit(event);
      }}
      className="flex min-h-0 flex-col gap-4"
    >
      {children}
      <DialogActions>
        <Button disabled={isPending} onClick={() => onOpenChange(false)}>
          {common.cancel}
        </Button>
        <Button type="submit" variant={variant} disabled={isPending || !canSubmit}>
          {submitLabel}
        </Button>
      </DialogActions>
    </form>
  </Modal>
);

interface QuestionProps {
  readonly open: boolean;
  /** Called on Escape, or for the choice that changes nothing. */
  readonly onCancel: () => void;
  readonly title: string;
  readonly description: ReactNode;
  /** The buttons. The harmless one is first and gets focus. */
  readonly children: ReactNode;
  /** The element that gets focus afterwards, if the one that opened the question may be gone. */
  readonly finalFocus?: ComponentProps<typeof AlertDialog.Popup>['finalFocus'];
}

/** A question that must be answered before anything else continues. */
export const Question = ({ open, onCancel, title, description, children, finalFocus }: QuestionProps) => {
  const focus = useReturnFocus(open);
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next) => next || onCancel()}
      onOpenChangeComplete={(isOpen) => isOpen || focus.onClosed()}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup
          data-dialog
          className={cx(POPUP, WIDTHS.normal)}
          finalFocus={finalFocus ?? focus.finalFocus}
        >
          <div className="flex flex-col gap-1">
            <AlertDialog.Title className={TITLE}>{title}</AlertDialog.Title>
            <AlertDialog.Description className={DESCRIPTION}>{description}</AlertDialog.Description>
          </div>
          <DialogActions>{children}</DialogActions>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
};

/** The row of buttons at the end of a dialog. */
export const DialogActions = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex flex-wrap justify-end gap-2">{children}</div>
);
