import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useId, useRef } from 'react';
import { dropKeys, SEARCH_DIALOG, type WaitingKey } from '../../shell/search.ts';
import { isShortcut } from '../../shell/shortcuts.ts';
import { search as words } from '../../strings/palette.ts';
import { useReturnFocus } from '../../ui/use-return-focus.ts';

/** Entries under one heading. An empty heading isn't shown. */
interface PickerGroup<T> {
  readonly value: string;
  readonly items: readonly T[];
}

interface PickerDialogProps<T> {
  readonly open: boolean;
  readonly onClose: () => void;
  /** Called with the picked item or null, once the dialog has closed and focus is back. */
  readonly onClosed: (picked: T | null) => void;
  readonly label: string;
  readonly placeholder: string;
  readonly hint: string;
  readonly query: string;
  readonly onQueryChange: (query: string) => void;
  /** Keys that were pressed before the field had focus. */
  readonly keys: readonly WaitingKey[];
  /** Called when an item is picked. Returns whether picking it only changes the list. */
  readonly staysOpen: (item: T) => boolean;
  /** The query's matches, best first. */
  readonly groups: readonly PickerGroup<T>[];
  readonly keyOf: (item: T) => string;
  readonly show: (item: T) => ReactNode;
  /** Shown with `noneHint` if nothing matches. */
  readonly none: string;
  readonly noneHint: string | undefined;
  /** Shown below the list. */
  readonly note: string | undefined;
}

/** Replays keys that were pressed too early, which move in the list or pick. Calls `pick` at most once. */
const useWaitingKeys = <T,>(
  { keys, groups }: Pick<PickerDialogProps<T>, 'keys' | 'groups'>,
  field: { readonly current: HTMLInputElement | null },
  pick: (item: T) => void,
): void => {
  const act = useEffectEvent((): void => {
    const items = groups.flatMap((group) => group.items);
    const enter = keys.indexOf('Enter');
    const moves = enter < 0 ? keys : keys.slice(0, enter);
    if (enter < 0) {
      for (const key of moves)
        field.current?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    } else {
      const steps = moves.reduce((sum, key) => sum + (key === 'ArrowDown' ? 1 : -1), 0);
      const item = items.at(Math.min(steps, items.length - 1));
      if (item !== undefined) pick(item);
    }
    dropKeys();
  });
  useEffect(() => {
    if (keys.length === 0) return;
    // Wait until the list shows the results for the entire query.
    const frame = requestAnimationFrame(act);
    return () => cancelAnimationFrame(frame);
  }, [keys]);
};

/** A dialog with a search field and a list. Arrow keys move, Enter picks and Escape closes it. */
export const PickerDialog = <T,>(props: PickerDialogProps<T>) => {
  const { open, onClose, onClosed, label, placeholder, hint, query, onQueryChange } = props;
  const { staysOpen, groups, keys, keyOf, show, none, noneHint, note } = props;
  const picked = useRef<T>(null);
  const field = useRef<HTMLInputElement>(null);
  const hintId = useId();
  const { finalFocus, onClosed: returnFocus } = useReturnFocus(open);
  const finish = (): void => {
    const item = picked.current;
    picked.current = null;
    onClosed(item);
  };
  const pick = (item: T): void => {
    if (staysOpen(item)) return;
    picked.current = item;
    onClose();
  };
  useWaitingKeys({ keys, groups }, field, pick);
  const onReopen = useEffectEvent(() => picked.current !== null && finish());
  useEffect(() => {
    // The dialog may be opened again before it has closed.
    if (open) onReopen();
  }, [open]);
  const onKeyDown = (event: KeyboardEvent): void => {
    // Pressing the shortcut again selects the query, to start over.
    if (isShortcut('search', event.nativeEvent, true)) field.current?.select();
  };
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(next) => next || onClose()}
      onOpenChangeComplete={(isOpen) => {
        if (isOpen) return;
        returnFocus();
        finish();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 bg-scrim transition-opacity duration-100 data-ending-style:opacity-0 data-ending-style:duration-0 data-starting-style:opacity-0" />
        <Dialog.Popup
          {...{ [SEARCH_DIALOG]: '' }}
          aria-label={label}
          initialFocus={field}
          finalFocus={finalFocus}
          className="fixed inset-x-0 top-[12dvh] mx-auto flex max-h-[min(30rem,76dvh)] w-140 max-w-[calc(100vw-2rem)] flex-col overflow-hidden rounded-xl bg-raised shadow-popup outline-none transition-[opacity,scale] duration-100 ease-out data-ending-style:duration-0 data-starting-style:scale-[0.98] data-starting-style:opacity-0"
        >
          <Autocomplete.Root
            open
            inline
            items={groups}
            filter={null}
            value={query}
            onValueChange={(text, { reason }) => {
              // Otherwise, picking an entry would write it into the field.
              if (reason !== 'item-press') onQueryChange(text);
            }}
            autoHighlight="always"
            keepHighlight
          >
            <div className="flex items-center gap-2 border-b border-line pl-3.5">
              <Search aria-hidden="true" className="size-4 shrink-0 text-muted" />
              <Autocomplete.Input
                ref={field}
                onKeyDown={onKeyDown}
                aria-label={label}
                aria-describedby={hintId}
                placeholder={placeholder}
                autoComplete="off"
                spellCheck={false}
                className="h-11 w-full bg-transparent pr-3.5 text-lg outline-none"
              />
              <span id={hintId} className="sr-only">
                {hint}
              </span>
              <Dialog.Close className="sr-only">{words.close}</Dialog.Close>
            </div>
            <Autocomplete.Empty>
              <p className="px-3.5 pt-4 font-medium">{none}</p>
              {noneHint && <p className="px-3.5 pb-4 text-sm text-muted">{noneHint}</p>}
            </Autocomplete.Empty>
            <Autocomplete.List className="min-h-0 flex-1 scroll-py-2 overflow-y-auto overscroll-contain p-1.5 empty:hidden">
              {(group: PickerGroup<T>) => (
                <Autocomplete.Group key={group.value} items={group.items} className="not-last:mb-1">
                  {group.value !== '' && (
                    <Autocomplete.GroupLabel className="px-2.5 pt-1.5 pb-1 text-xs font-medium text-muted">
                      {group.value}
                    </Autocomplete.GroupLabel>
                  )}
                  <Autocomplete.Collection>
                    {(item: T) => (
                      <Autocomplete.Item
                        key={keyOf(item)}
                        value={item}
                        onClick={() => pick(item)}
                        className="flex min-h-8 cursor-default items-center gap-3 rounded-md px-2.5 py-1 outline-none select-none data-highlighted:bg-selected"
                      >
                        {show(item)}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
            {note && <p className="border-t border-line px-3.5 py-2 text-sm text-muted">{note}</p>}
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
};
