import { type Keys, keyCaps } from '../shell/shortcuts.ts';

/** A key combination as labeled on the keyboard. */
export const KeyCaps = ({ keys }: { readonly keys: Keys }) => (
  <span className="inline-flex gap-1">
    {keyCaps(keys).map((cap) => (
      <kbd
        key={cap}
        className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line-strong/50 bg-sunken px-1 font-sans text-xs text-muted"
      >
        {cap}
      </kbd>
    ))}
  </span>
);
