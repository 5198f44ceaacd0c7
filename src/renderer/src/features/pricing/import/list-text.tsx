import { type ClipboardEvent, type DragEvent, useId, useRef, useState } from 'react';
import { previewImport } from '../../../../../shared/api/pricing.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { notify } from '../../../ui/toast.tsx';

/** Longer texts aren't shown, because a field with megabytes of text hardly scrolls. */
const LONGEST_SHOWN = 100_000;

/** The text of a price list. With a name, it isn't shown. */
interface ListTextValue {
  readonly content: string;
  readonly name: string | null;
}

interface ListTextProps {
  readonly value: ListTextValue;
  readonly onChange: (value: ListTextValue) => void;
}

/** A field for a price list as text, or as a dropped or chosen file. */
export const ListText = ({ value, onChange }: ListTextProps) => {
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setIsOver] = useState(false);

  const take = async (file: File): Promise<void> => {
    if (file.size > previewImport.bodyLimitBytes) return notify(words.import.fileTooLarge);
    await file.text().then(
      (content) => onChange({ content, name: file.name }),
      () => notify(words.import.fileUnreadable),
    );
  };
  const onDrop = (event: DragEvent): void => {
    setIsOver(false);
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    void take(file);
  };
  const onPaste = (event: ClipboardEvent): void => {
    const content = event.clipboardData.getData('text');
    if (content.length <= LONGEST_SHOWN) return;
    event.preventDefault();
    onChange({ content, name: words.import.pasted });
  };
  if (value.name !== null) {
    return (
      <div className="flex items-center gap-3 rounded-md border border-line bg-sunken px-3 py-2">
        <p className="min-w-0 flex-1 wrap-anywhere">
          {words.import.held(value.name, words.import.kilobytes(value.content.length))}
        </p>
        <Button size="small" onClick={() => onChange({ content: '', name: null })}>
          {words.import.removeText}
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-2">
      <label htmlFor={id} className="sr-only">
        {words.import.textField}
      </label>
      <textarea
        id={id}
        rows={5}
        value={value.content}
        placeholder={words.import.textPlaceholder}
        onChange={(event) => onChange({ content: event.target.value, name: null })}
        onPaste={onPaste}
        onDragOver={(event) => {
          if (!event.dataTransfer.types.includes('Files')) return;
          event.preventDefault();
          setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={onDrop}
        spellCheck={false}
        autoComplete="off"
        className={cx(
          'max-h-60 min-h-20 w-full resize-y rounded-md border border-line-strong bg-canvas px-2.5 py-2 font-mono',
          'text-sm outline-offset-0 placeholder:font-sans',
          isOver && 'bg-selected',
        )}
      />
      <div>
        <Button size="small" onClick={() => picker.current?.click()}>
          {words.import.chooseFile}
        </Button>
        <input
          ref={picker}
          type="file"
          hidden
          accept=".json,application/json"
          aria-label={words.import.chooseFile}
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file) void take(file);
          }}
        />
      </div>
    </div>
  );
};
