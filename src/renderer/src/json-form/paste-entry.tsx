import { useId, useState } from 'react';
import { jsonForm as texts } from '../strings/json-form.ts';
import { Choice } from '../ui/choice.tsx';
import { Problem } from '../ui/failures.tsx';
import type { EntryKind, PastedEntry } from './entry-kind.ts';

interface PasteEntryProps {
  readonly paste: NonNullable<EntryKind['paste']>;
  /** Fills the form. */
  readonly onEntry: (entry: PastedEntry) => void;
}

/** A field for JSON of other programs, which fills the form. */
export const PasteEntry = ({ paste, onEntry }: PasteEntryProps) => {
  const id = useId();
  const [text, setText] = useState('');
  const [name, setName] = useState<string>();
  const read = text.trim() === '' ? [] : paste.read(text);
  const entries = typeof read === 'string' ? [] : read;
  const chosen = entries.find((entry) => entry.name === name) ?? entries[0];
  const choose = (next: PastedEntry | undefined): void => {
    setName(next?.name);
    if (next) onEntry(next);
  };
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded text-muted">{paste.label}</summary>
      <div className="flex flex-col gap-2 pt-2">
        <textarea
          id={id}
          aria-label={paste.label}
          rows={4}
          value={text}
          spellCheck={false}
          onChange={({ target }) => {
            setText(target.value);
            const found = paste.read(target.value);
            choose(typeof found === 'string' ? undefined : found[0]);
          }}
          className="max-h-60 w-full resize-y rounded-md border border-line-strong bg-canvas px-2.5 py-1.5 font-mono text-sm"
        />
        {typeof read === 'string' && <Problem announce>{read}</Problem>}
        {entries.length > 1 && (
          <Choice
            label={paste.which}
            options={entries.map((entry) => entry.name)}
            names={Object.fromEntries(entries.map((entry) => [entry.name, entry.name]))}
            value={chosen?.name}
            onChange={(next) => choose(entries.find((entry) => entry.name === next))}
          />
        )}
        <p role="status" className="text-sm text-muted">
          {chosen && texts.filled(chosen.leftOut)}
        </p>
      </div>
    </details>
  );
};
