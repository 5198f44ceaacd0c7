import { type FormEvent, useState } from 'react';
import { signIn as words } from '../strings/sign-in.ts';
import { Button } from '../ui/button.tsx';
import { CheckboxField, TextField } from '../ui/field.tsx';
import { useSignIn } from './use-sign-in.ts';

/** Signs the page in with the printed link or a token, wherever that is needed. */
export const SignInForm = ({ onDone }: { readonly onDone?: () => void }) => {
  const { canKeep, isPending, error, submit, reset } = useSignIn(onDone);
  const [text, setText] = useState('');
  const [keeps, setKeeps] = useState(false);
  const change = (next: string): void => {
    setText(next);
    if (error !== undefined) reset();
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    // In a dialog, it would reach the form around the button that opened it.
    event.stopPropagation();
    if (text.trim() !== '') submit(text, keeps && canKeep);
  };
  return (
    <form onSubmit={onSubmit} className="flex w-full max-w-110 flex-col gap-3 text-left">
      <TextField label={words.field} value={text} onValueChange={change} error={error} secret />
      {canKeep && (
        <CheckboxField label={words.keep} hint={words.keepHint} checked={keeps} onCheckedChange={setKeeps} />
      )}
      <div>
        <Button type="submit" variant="primary" disabled={text.trim() === '' || isPending}>
          {isPending ? words.submitting : words.submit}
        </Button>
      </div>
    </form>
  );
};
