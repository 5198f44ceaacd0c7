import { Folder } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { RootCheck } from '../../../../shared/api/root.ts';
import type { KnownRoot } from '../../../../shared/api/roots.ts';
import { desktopBridge } from '../../api/desktop.ts';
import { SignInPrompt } from '../../shell/sign-in.tsx';
import { firstRun as words } from '../../strings/first-run.ts';
import { settings as settingsWords } from '../../strings/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Failure, reportFailure } from '../../ui/failures.tsx';
import { TextField } from '../../ui/field.tsx';
import { AgentsArt } from '../../ui/illustrations.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { type RootChoice, useChooseRoot } from './use-choose-root.ts';

interface FirstRunPageProps {
  /** True if this page can choose a root. */
  readonly hasToken: boolean;
  readonly onLater: () => void;
}

/** The first page that a person sees, where they open a sample agent or one of their own. */
export const FirstRunPage = ({ hasToken, onLater }: FirstRunPageProps) => {
  useTitle(words.title);
  return (
    <main className="flex min-h-0 flex-1 flex-col items-center overflow-y-auto p-6">
      {hasToken ? <Choice /> : <NoToken onLater={onLater} />}
    </main>
  );
};

const NoToken = ({ onLater }: { readonly onLater: () => void }) => (
  <SignInPrompt level={1}>
    <Button onClick={onLater}>{words.later}</Button>
  </SignInPrompt>
);

const CARD = 'flex flex-col gap-3 rounded-xl border border-line bg-raised p-5';

const Choice = () => {
  const choice = useChooseRoot();
  return (
    <div className="my-auto flex w-full max-w-135 flex-col gap-4">
      <header className="flex flex-col items-center gap-1 text-center">
        <AgentsArt />
        <h1 className="mt-2 text-2xl font-semibold">{words.title}</h1>
        <p className="text-lg text-muted">{words.description}</p>
      </header>
      {choice.lastError !== null && <Failure title={settingsWords.lastError} message={choice.lastError} />}
      <section className={CARD}>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-3">
          <div className="min-w-0 flex-1 basis-60">
            <h2 className="text-lg font-semibold">{words.samplesHeading}</h2>
            <p className="text-muted">{words.samplesHint}</p>
          </div>
          <Button variant="primary" disabled={choice.isChoosing} onClick={choice.chooseStarter}>
            {words.samplesUse}
          </Button>
        </div>
        {choice.starterRoot && (
          <p className="text-sm text-muted">
            {words.samplesPlace} <PathText path={choice.starterRoot} className="font-mono" />
          </p>
        )}
      </section>
      <OpenFolder choice={choice} />
    </div>
  );
};

const OpenFolder = ({ choice }: { readonly choice: RootChoice }) => {
  const [path, setPath] = useState('');
  const bridge = desktopBridge();
  const fill = (text: string): void => {
    setPath(text);
    if (choice.error || choice.lacking) choice.reset();
  };
  const browse = (): void => {
    bridge?.chooseFolder?.().then(
      (chosen) => chosen !== null && fill(chosen),
      (error: unknown) => reportFailure(settingsWords.chooseFailed, error),
    );
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (path.trim() !== '') choice.chooseRoot(path);
  };
  return (
    <section className={CARD}>
      <h2 className="text-lg font-semibold">{words.folderHeading}</h2>
      {choice.folders.length > 0 && (
        <ul aria-label={words.foundFolders} className="flex flex-col gap-1">
          {choice.folders.map((folder) => (
            <FoundFolder
              key={folder.path}
              folder={folder}
              isOff={choice.isChoosing}
              onOpen={() => choice.chooseRoot(folder.path)}
            />
          ))}
        </ul>
      )}
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label={words.folder}
          value={path}
          onValueChange={fill}
          hint={words.folderHint}
          error={choice.error}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" disabled={path.trim() === '' || choice.isChoosing}>
            {choice.isChoosing ? words.opening : words.folderOpen}
          </Button>
          {bridge?.chooseFolder && <Button onClick={browse}>{settingsWords.choose}</Button>}
        </div>
        {choice.lacking && <Lacking found={choice.lacking} choice={choice} />}
      </form>
      <p className="text-sm text-muted">{words.laterHint}</p>
    </section>
  );
};

/** Warns that a chosen folder has no agents, and offers to set it up. */
const Lacking = ({ found, choice }: { readonly found: RootCheck; readonly choice: RootChoice }) => (
  <>
    <Callout
      tone="note"
      title={found.empty ? settingsWords.emptyFolder : settingsWords.noAgents}
      announce="status"
    >
      <p>{settingsWords.setUpHint}</p>
    </Callout>
    <div className="flex gap-2">
      <Button variant="primary" disabled={choice.isChoosing} onClick={() => choice.setUp(found.path)}>
        {settingsWords.setUp}
      </Button>
      <Button disabled={choice.isChoosing} onClick={() => choice.takeAsItIs(found.path)}>
        {settingsWords.useAsItIs}
      </Button>
    </div>
  </>
);

interface FoundFolderProps {
  readonly folder: KnownRoot;
  readonly isOff: boolean;
  readonly onOpen: () => void;
}

const FoundFolder = ({ folder, isOff, onOpen }: FoundFolderProps) => (
  <li className="flex min-w-0 items-center gap-2.5">
    <Folder aria-hidden="true" className="size-4 shrink-0 text-muted" strokeWidth={1.75} />
    <PathText path={folder.path} className="min-w-0 font-mono" />
    {folder.agents !== null && (
      <span className="shrink-0 text-sm text-muted">{words.agents(folder.agents)}</span>
    )}
    <span className="ml-auto shrink-0">
      <Button size="small" disabled={isOff} onClick={onOpen} aria-label={words.openLabel(folder.path)}>
        {words.open}
      </Button>
    </span>
  </li>
);
