import { Search, X } from 'lucide-react';
import { type ComponentProps, useRef } from 'react';
import { ariaKeys, useShortcuts } from '../shell/shortcuts.ts';
import { common } from '../strings/common.ts';

type SearchFieldProps = Omit<ComponentProps<'input'>, 'className' | 'type' | 'value' | 'onChange'> & {
  /** The field's accessible name and placeholder. */
  readonly label: string;
  readonly value: string;
  readonly onValueChange: (value: string) => void;
  /** True for the field above the page's own list. The "/" key focuses that field. */
  readonly isMain?: boolean;
};

/** A field that filters the list below it. Escape empties it. */
export const SearchField = (props: SearchFieldProps) => {
  const { label, value, onValueChange, isMain = false, onKeyDown, ref, ...rest } = props;
  const own = useRef<HTMLInputElement>(null);
  const filter = (): void => {
    own.current?.focus();
    own.current?.select();
  };
  useShortcuts(isMain ? { filter } : {});
  return (
    <div className="relative">
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-2 left-2.5 size-3.5 text-muted"
      />
      <input
        {...rest}
        aria-keyshortcuts={isMain ? ariaKeys('filter') : undefined}
        ref={(input) => {
          own.current = input;
          if (typeof ref === 'function') return ref(input);
          if (ref) ref.current = input;
        }}
        type="text"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onValueChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && value !== '') {
            onValueChange('');
            // In a dialog, Escape would close it as well.
            event.stopPropagation();
          }
          onKeyDown?.(event);
        }}
        autoComplete="off"
        spellCheck={false}
        className="h-7.5 w-full rounded-md border border-line-strong/60 bg-canvas pr-7 pl-7.5 outline-offset-0"
      />
      {value !== '' && (
        <button
          type="button"
          aria-label={common.clearSearch}
          onClick={() => {
            onValueChange('');
            own.current?.focus();
          }}
          className="absolute top-1.25 right-1.25 flex size-5 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
        >
          <X aria-hidden="true" className="size-3.5" />
        </button>
      )}
    </div>
  );
};
