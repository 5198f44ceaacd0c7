import { type FormEvent, useState } from 'react';
import type { RootCheck } from '../../../../shared/api/root.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { SignInPrompt } from '../../sign-in/sign-in-prompt.tsx';
import { settings, firstRun as words } from '../../strings/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { TextField } from '../../ui/field.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { notifyFailure } from '../../ui/toast.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { type RootChoice, useChooseRoot } from './use-choose-root.ts';

interface FirstRunPageProps {
  /** Whether this page may choose. */
  readonly hasToken: boolean;
  readonly onLater: () => void;
}

/** The first page that a person sees. It asks for their root. */
export const FirstRunPage = ({ hasToken, onLater }: FirstRunPageProps) => {
  useTitle(words.title);
  return (
    <main className="flex min-h-0 flex-1 flex-col items-center overflow-y-auto bg-sunken p-6">
      {hasToken ? <Choice /> : <NoToken onLater={onLater} />}
    </main>
  );
};

const NoToken = ({ onLater }: { readonly onLater: () => void }) => (
  <SignInPrompt level={1}>
    <Button onClick={onLater}>{words.later}</Button>
  </SignInPrompt>
);

const CARD = 'flex flex-col gap-3 rounded-xl border border-line bg-canvas p-5';

const Choice = () => {
  const choice = useChooseRoot();
  return (
    <div className="my-auto flex w-full max-w-125 flex-col gap-4">
      <header className="flex flex-col gap-1">
        <h1 className="text-2xl font-semibold">{words.title}</h1>
        <p className="text-muted">{words.description}</p>
      </header>
      {choice.lastError !== null && (
        <Callout tone="danger" title={settings.lastError} announce="alert">
          <p>{choice.lastError}</p>
        </Callout>
      )}
      <OwnRoot choice={choice} />
      <section className={CARD}>
        <h2 className="text-lg font-semibold">{words.starterHeading}</h2>
        <p className="text-muted">
          {words.starterHint}{' '}
          {choice.starterRoot && <PathText path={choice.starterRoot} className="font-mono" />}
        </p>
        <div>
          <Button disabled={choice.isChoosing} onClick={choice.chooseStarter}>
            {words.starterUse}
          </Button>
        </div>
      </section>
      <p className="text-sm text-muted">{words.laterHint}</p>
    </div>
  );
};

const OwnRoot = ({ choice }: { readonly choice: RootChoice }) => {
  const [path, setPath] = useState('');
  const bridge = desktopBridge();
  const fill = (text: string): void => {
    setPath(text);
    if (choice.error || choice.lacking) choice.reset();
  };
  const browse = (): void => {
    bridge?.chooseFolder?.().then(
      (chosen) => chosen !== null && fill(chosen),
      (error: unknown) => notifyFailure(settings.chooseFailed, error),
    );
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (path.trim() !== '') choice.chooseRoot(path);
  };
  return (
    <section className={CARD}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <h2 className="text-lg font-semibold">{words.ownHeading}</h2>
        <TextField
          label={settings.root}
          value={path}
          onValueChange={fill}
          hint={words.ownHint}
          error={choice.error}
        />
        <div className="flex gap-2">
          <Button type="submit" variant="primary" disabled={path.trim() === '' || choice.isChoosing}>
            {choice.isChoosing ? words.using : words.ownUse}
          </Button>
          {bridge?.chooseFolder && <Button onClick={browse}>{settings.choose}</Button>}
        </div>
        {choice.lacking && <Lacking found={choice.lacking} choice={choice} />}
      </form>
    </section>
  );
};

/** Says that a folder has no agents before it is used, and offers to set it up. */
const Lacking = ({ found, choice }: { readonly found: RootCheck; readonly choice: RootChoice }) => (
  <>
    <Callout tone="note" title={found.empty ? words.emptyFolder : words.noAgents} announce="status">
      <p>{words.setUpHint}</p>
    </Callout>
    <div className="flex gap-2">
      <Button variant="primary" disabled={choice.isChoosing} onClick={() => choice.setUp(found.path)}>
        {words.setUp}
      </Button>
      <Button disabled={choice.isChoosing} onClick={() => choice.takeAsItIs(found.path)}>
        {words.useAsItIs}
      </Button>
    </div>
  </>
);
