import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { z } from 'zod';
import { needsSignIn } from '../../../../../shared/api/errors.ts';
import { PRICE_LISTS } from '../../../../../shared/api/pricing.ts';
import { SignInButton } from '../../../sign-in/sign-in-button.tsx';
import { pricing as words } from '../../../strings/pricing.ts';
import { strings } from '../../../strings.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { DialogActions } from '../../../ui/dialog.tsx';
import { ListText } from './list-text.tsx';
import type { ImportState } from './use-import.ts';

/** The schema of an {@link ImportDraft}. */
export const importDraft = z.object({
  choice: z.enum([...PRICE_LISTS, 'text']),
  text: z.object({ content: z.string(), name: z.string().nullable() }),
  /** Whether its changes were shown before. */
  wasShown: z.boolean(),
});

/** The choice and the typed text so far. */
export type ImportDraft = Readonly<z.infer<typeof importDraft>>;

/** The draft that an import begins with. */
export const EMPTY_DRAFT: ImportDraft = {
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
export const ImportSource = ({ state, draft, onDraft: keep, onCancel }: ImportSourceProps) => {
  const { choice, text } = draft;
  const form = useRef<HTMLFormElement>(null);
  const cameBack = useRef(draft.wasShown);
  useEffect(() => {
    // The Back button is gone, so move its focus. A dialog that opens sets its own focus.
    if (cameBack.current) form.current?.querySelector<HTMLElement>('input:checked')?.focus();
  }, []);
  const { isReading, error } = state;
  const onDraft = (next: ImportDraft): void => {
    // The error is about another list.
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
        <Callout tone="danger" title={words.import.previewFailed} announce="alert">
          <p>{error.message}</p>
          {needsSignIn(error) && <SignInButton />}
        </Callout>
      )}
      <DialogActions>
        <Button onClick={onCancel}>{strings.common.cancel}</Button>
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
