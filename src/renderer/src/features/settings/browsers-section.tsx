import { useId, useState } from 'react';
import { desktopBridge } from '../../api/desktop.ts';
import { keepingAddress } from '../../api/page-session.ts';
import { signInWords } from '../../strings/sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';
import { reportFailure } from '../../ui/failures.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { notify } from '../../ui/toast.tsx';
import { type Browser, useBrowsers, useRenewToken } from './use-browsers.ts';

/** Lists the signed-in browsers, and offers to replace the operator token, which scripts use. */
export const BrowsersSection = () => {
  const { keys, canKeep, isPending, keep, end, signOut } = useBrowsers(
    () => notify(signInWords.kept),
    (name) => notify(signInWords.ended(name)),
    () => notify(signInWords.signedOut),
    (error) => reportFailure(signInWords.endFailed, error),
  );
  const isKept = keys?.some(({ isOwn }) => isOwn);
  const elsewhere = keepingAddress();
  const id = useId();
  // The desktop window would sign in again at once. A browser that stays signed in has its own button in the list, so
  // don't offer this button before the list loads.
  const canSignOut = isKept === false && desktopBridge() === undefined;
  return (
    <>
      <section data-setting="browsers" aria-labelledby={id} className="flex flex-col gap-2">
        <div>
          <h3 id={id} className="font-medium">
            {signInWords.section}
          </h3>
          <p className="text-sm text-muted">{signInWords.sectionHint}</p>
          {elsewhere !== undefined && isKept === false && (
            <p className="text-sm text-muted">{signInWords.keepElsewhere(elsewhere)}</p>
          )}
        </div>
        {keys && keys.length > 0 && (
          <ul className="flex flex-col divide-y divide-line rounded-md border border-line">
            {keys.map((key) => (
              <BrowserRow key={key.id} browser={key} isPending={isPending} onEnd={end} />
            ))}
          </ul>
        )}
        <div className="flex flex-wrap gap-2">
          {canKeep && isKept === false && (
            <Button disabled={isPending} onClick={keep}>
              {signInWords.keepHere}
            </Button>
          )}
          {canSignOut && (
            <Button disabled={isPending} onClick={signOut}>
              {signInWords.signOut}
            </Button>
          )}
        </div>
      </section>
      <section data-setting="operatorToken" aria-labelledby={`${id}-token`} className="flex flex-col gap-2">
        <div>
          <h3 id={`${id}-token`} className="font-medium">
            {signInWords.operatorToken}
          </h3>
          <p className="text-sm text-muted">{signInWords.operatorTokenHint}</p>
        </div>
        <div>
          <RenewButton />
        </div>
      </section>
    </>
  );
};

interface BrowserRowProps {
  readonly browser: Browser;
  readonly isPending: boolean;
  readonly onEnd: (browser: Browser) => void;
}

const BrowserRow = ({ browser, isPending, onEnd }: BrowserRowProps) => (
  <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
    <div className="flex min-w-0 flex-1 flex-col">
      <span className="font-medium break-words">
        {browser.name}
        {browser.isOwn && <span className="font-normal text-muted"> ({signInWords.here})</span>}
      </span>
      <span className="text-sm text-muted break-all">
        {browser.origin} · <LastUsed at={browser.lastUsedAt} />
      </span>
    </div>
    <Button
      size="small"
      disabled={isPending}
      aria-label={signInWords.endLabel(browser.name)}
      onClick={() => onEnd(browser)}
    >
      {signInWords.end}
    </Button>
  </li>
);

const LastUsed = ({ at }: { readonly at: string | null }) =>
  at === null ? signInWords.neverUsed : <TimeAgo at={at} text={signInWords.lastUsed} />;

const RenewButton = () => {
  const [isAsking, setIsAsking] = useState(false);
  const { mutate, isPending } = useRenewToken(
    () => notify(signInWords.renewed),
    (error) => reportFailure(signInWords.renewFailed, error),
  );
  const renew = (): void => {
    setIsAsking(false);
    mutate();
  };
  return (
    <>
      <Button disabled={isPending} onClick={() => setIsAsking(true)}>
        {signInWords.renew}
      </Button>
      <Question
        open={isAsking}
        onCancel={() => setIsAsking(false)}
        title={signInWords.renewQuestion}
        description={signInWords.renewDescription}
      >
        <Button onClick={() => setIsAsking(false)}>{signInWords.cancel}</Button>
        <Button variant="danger" onClick={renew}>
          {signInWords.renewConfirm}
        </Button>
      </Question>
    </>
  );
};
