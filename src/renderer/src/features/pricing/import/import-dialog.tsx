import {
  type ClipboardEvent,
  type FormEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { needsSignIn } from '../../../../../shared/api/errors.ts';
import { PRICE_LISTS, previewImport } from '../../../../../shared/api/pricing.ts';
import { unsaved, useUnsaved } from '../../../drafts/unsaved.ts';
import { SignInButton } from '../../../shell/sign-in.tsx';
import { common } from '../../../strings/common.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { DialogActions, Modal } from '../../../ui/dialog.tsx';
import { Failure, reportFailure } from '../../../ui/failures.tsx';
import { ChooseFile, useFileDrop } from '../../../ui/file-field.tsx';
import { ImportChanges } from './import-changes.tsx';
import { type ImportState, useImport, useIsWriting } from './use-import.ts';

/** Longer text isn't shown, because a field with megabytes of text hardly scrolls. */
const LONGEST_SHOWN = 100_000;

/** A price list's text. If it has a file name, the text isn't shown. */
interface ListTextValue {
  readonly content: string;
  readonly name: string | null;
}

interface ListTextProps {
  readonly value: ListTextValue;
  readonly onChange: (value: ListTextValue) => void;
}

/** A field for a price list as text, or as a dropped or selected file. */
const ListText = ({ value, onChange }: ListTextProps) => {
  const id = useId();

  const take = async (file: File): Promise<void> => {
    if (file.size > previewImport.bodyLimitBytes) return reportFailure(words.import.fileTooLarge);
    await file.text().then(
      (content) => onChange({ content, name: file.name }),
      () => reportFailure(words.import.fileUnreadable),
    );
  };
  const { isOver, handlers } = useFileDrop((file) => void take(file));
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
        {...handlers}
        spellCheck={false}
        autoComplete="off"
        className={cx(
          'max-h-60 min-h-20 w-full resize-y rounded-md border border-line-strong bg-canvas px-2.5 py-2 font-mono',
          'text-sm outline-offset-0 placeholder:font-sans',
          isOver && 'bg-selected',
        )}
      />
      <div>
        <ChooseFile
          size="small"
          label={words.import.chooseFile}
          accept=".json,application/json"
          onFile={(file) => void take(file)}
        />
      </div>
    </div>
  );
};

/** The selected source, and the text typed so far. */
interface ImportDraft {
  readonly choice: (typeof PRICE_LISTS)[number] | 'text';
  readonly text: ListTextValue;
  /** True if the list's changes were shown before. */
  readonly wasShown: boolean;
}

const EMPTY_DRAFT: ImportDraft = {
  choice: 'models.dev',
  text: { content: '', name: null },
  wasShown: false,
};

interface ImportSourceProps {
  readonly state: Extract<ImportState, { step: 'choosing' }>;
  readonly draft: ImportDraft;
  readonly onDraft: (draft: ImportDraft) => void;
  readonly onCancel: () => void;
}

/** The first step of an import: choose a price list. */
const ImportSource = ({ state, draft, onDraft: keep, onCancel }: ImportSourceProps) => {
  const { choice, text } = draft;
  const form = useRef<HTMLFormElement>(null);
  const cameBack = useRef(draft.wasShown);
  useEffect(() => {
    // The Back button had focus and is gone, so move focus here. A dialog that opens sets focus itself.
    if (cameBack.current) form.current?.querySelector<HTMLElement>('input:checked')?.focus();
  }, []);
  const { isReading, error } = state;
  const onDraft = (next: ImportDraft): void => {
    // The error is about the previous list.
    if (error) state.forget();
    keep(next);
  };
  const isReady = choice !== 'text' || text.content.trim() !== '';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isReady || isReading) return;
    onDraft({ ...draft, wasShown: true });
    state.show(choice === 'text' ? { content: text.content } : { source: choice });
  };
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-4">
      <fieldset disabled={isReading} className="flex flex-col gap-2">
        <legend className="mb-1.5 font-medium">{words.import.from}</legend>
        {PRICE_LISTS.map((name) => (
          <Choice
            key={name}
            isChosen={choice === name}
            onChoose={() => onDraft({ ...draft, choice: name })}
            hint={words.import.sourceHints[name]}
          >
            {words.listNames[name]}
          </Choice>
        ))}
        <Choice
          isChosen={choice === 'text'}
          onChoose={() => onDraft({ ...draft, choice: 'text' })}
          hint={words.import.textHint}
        >
          {words.import.text}
        </Choice>
      </fieldset>
      {choice === 'text' && <ListText value={text} onChange={(next) => onDraft({ ...draft, text: next })} />}
      {error && (
        <Failure title={words.import.previewFailed} message={error.message}>
          {needsSignIn(error) && <SignInButton />}
        </Failure>
      )}
      <DialogActions>
        <Button onClick={onCancel}>{common.cancel}</Button>
        <Button type="submit" variant="primary" disabled={!isReady || isReading}>
          {isReading ? words.import.previewing : words.import.preview}
        </Button>
      </DialogActions>
    </form>
  );
};

interface ChoiceProps {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly hint: string;
  readonly children: ReactNode;
}

const Choice = ({ isChosen, onChoose, hint, children }: ChoiceProps) => (
  <label className="flex items-start gap-2.5">
    <input
      type="radio"
      name="price-list"
      checked={isChosen}
      onChange={onChoose}
      className="mt-0.5 size-4 shrink-0 accent-accent"
    />
    <span className="flex flex-col">
      <span className="font-medium">{children}</span>
      <span className="text-sm text-muted">{hint}</span>
    </span>
  </label>
);

interface ImportDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

const IMPORT_KEY = 'pricing/import';

/** Returns whether a person began an import without finishing or discarding it. */
export const hasTypedImport = (): boolean => unsaved.get(IMPORT_KEY) !== undefined;

/** Imports prices: first choose a price list, then choose among its changes. */
export const ImportDialog = ({ open, onOpenChange }: ImportDialogProps) => {
  const isWriting = useIsWriting();
  const close = (next: boolean): void => {
    if (!next) unsaved.drop(IMPORT_KEY);
    onOpenChange(next);
  };
  return (
    <Modal
      open={open}
      onOpenChange={(next) => {
        if (!isWriting) close(next);
      }}
      title={words.import.title}
      description={words.import.description}
      width="wide"
    >
      <ImportSteps onDone={() => close(false)} />
    </Modal>
  );
};

const ImportSteps = ({ onDone }: { readonly onDone: () => void }) => {
  const state = useImport(onDone);
  // Kept for the second step's Back button, and for a person who leaves the page and returns.
  const [kept, setKept] = useUnsaved<ImportDraft>(IMPORT_KEY);
  const [draft, setDraft] = useState(kept ?? EMPTY_DRAFT);
  const change = (next: ImportDraft): void => {
    setDraft(next);
    setKept(next.text.content === '' ? null : next);
  };
  return state.step === 'choosing' ? (
    <ImportSource state={state} draft={draft} onDraft={change} onCancel={onDone} />
  ) : (
    <ImportChanges state={state} />
  );
};
