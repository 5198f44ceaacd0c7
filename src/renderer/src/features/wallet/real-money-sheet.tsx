import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { type FormEvent, type RefObject, useRef, useState } from 'react';
import type { Balance } from '../../../../shared/api/wallet.ts';
import { hostOf, isMintUrl } from '../../../../shared/mint-url.ts';
import { settingsQuery } from '../../api/queries.ts';
import { mintQuery } from '../../api/wallet-queries.ts';
import { mintCheckProblem, useMintCheck } from '../../money/mint-check.ts';
import { common } from '../../strings/common.ts';
import { wallet as words } from '../../strings/wallet.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { cx } from '../../ui/cx.ts';
import { DialogActions } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failures.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { BackupSteps } from './backup/backup-steps.tsx';
import { useMoneyChange } from './use-wallet.ts';

const STEPS = ['mint', 'switch', 'backup'] as const;
type Step = (typeof STEPS)[number];

interface RealMoneySheetProps {
  readonly balance: Balance;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Gets focus afterwards if the button that opened the sheet is gone. */
  readonly fallback: RefObject<HTMLElement | null>;
}

/**
 * Switches from test money to real money: choose the mint, switch on, write down the words. The words are last,
 * because a wallet has none until it holds real money.
 */
export const RealMoneySheet = ({ balance, open, onOpenChange, fallback }: RealMoneySheetProps) => {
  const opener = useRef(document.activeElement);
  const afterwards = (): HTMLElement | null =>
    opener.current instanceof HTMLElement && opener.current.isConnected ? opener.current : fallback.current;
  return (
    <Sheet
      keepsOpen
      open={open}
      onOpenChange={onOpenChange}
      title={words.realMoney.title}
      finalFocus={afterwards}
    >
      <Steps balance={balance} onClose={() => onOpenChange(false)} />
    </Sheet>
  );
};

const Steps = ({ balance, onClose }: { readonly balance: Balance; readonly onClose: () => void }) => {
  const { data } = useQuery(settingsQuery());
  const [typed, setTyped] = useState<string>();
  const [isChosen, setIsChosen] = useState(false);
  const [isWrong, setIsWrong] = useState(false);
  const check = useMintCheck();
  const field = useRef<HTMLInputElement>(null);
  const change = useMoneyChange();
  const state = useQuery(mintQuery()).data?.state;
  // The mint may have stopped responding since it was checked.
  const isAway = state === 'unreachable' || state === 'error';
  if (!data) return <Loading />;
  const { devMode, mintUrl } = data.settings;
  const mint = typed ?? mintUrl.value;
  // After the server restarts, the balance is the real wallet's.
  const step: Step = balance.devMode ? (isChosen ? 'switch' : 'mint') : 'backup';
  const isSwitching = change.isPending || (balance.devMode && change.isSuccess);
  const switchOn = (): void =>
    change.mutate({ devMode: false, ...(mint === mintUrl.value ? {} : { mintUrl: mint.trim() }) });
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    if (check.isPending) return;
    const isUrl = isMintUrl(mint.trim());
    setIsWrong(!isUrl);
    const askAgain = (): void => field.current?.focus();
    if (isUrl)
      check.mutate(mint.trim(), {
        onSuccess: ({ lacks }) => (lacks.length === 0 ? setIsChosen(true) : askAgain()),
        onError: askAgain,
      });
    else askAgain();
  };
  return (
    <div className="flex flex-col gap-4 px-5 py-4">
      <StepList current={step} />
      {!devMode.editable && (
        <Callout tone="warn">{words.realMoney.fixed(devMode.variable ?? 'DEV_MODE')}</Callout>
      )}
      {step === 'mint' && (
        <form onSubmit={onSubmit} className="flex flex-col gap-4">
          <TextField
            ref={field}
            label={words.realMoney.mint}
            hint={words.realMoney.mintHint}
            value={mint}
            error={isWrong ? words.realMoney.notAMint : mintCheckProblem(check)}
            onValueChange={(text) => {
              setTyped(text);
              setIsWrong(false);
              // Drop the result for the earlier address.
              check.reset();
            }}
            readOnly={!mintUrl.editable}
          />
          <DialogActions>
            <Button onClick={onClose}>{common.cancel}</Button>
            <Button type="submit" variant="primary" disabled={mint.trim() === '' || !devMode.editable}>
              {check.isPending ? words.realMoney.checking : words.realMoney.next}
            </Button>
          </DialogActions>
        </form>
      )}
      {step === 'switch' && (
        <>
          <ul className="flex list-disc flex-col gap-1 pl-5">
            {words.realMoney.points(hostOf(mint)).map((point) => (
              <li key={point} className="text-pretty">
                {point}
              </li>
            ))}
          </ul>
          {change.error && (
            <Failure
              title={words.realMoney.failed}
              message={change.error.details?.issues?.[0]?.message ?? change.error.message}
            />
          )}
          <DialogActions>
            <Button
              onClick={() => {
                change.reset();
                setIsChosen(false);
              }}
            >
              {words.realMoney.back}
            </Button>
            <Button variant="primary" disabled={isSwitching} onClick={switchOn}>
              {isSwitching ? words.realMoney.switching : words.realMoney.switchOn}
            </Button>
          </DialogActions>
        </>
      )}
      {step === 'backup' && (
        <>
          <Callout tone={isAway ? 'warn' : 'ok'} title={words.realMoney.isOn} announce="status">
            <p>{isAway ? words.realMoney.isOnAway(hostOf(balance.mint)) : words.realMoney.isOnHint}</p>
          </Callout>
          <BackupSteps cancelLabel={words.realMoney.later} onClose={onClose} />
        </>
      )}
    </div>
  );
};

const StepList = ({ current }: { readonly current: Step }) => (
  <ol className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
    {STEPS.map((step, index) => {
      const isDone = index < STEPS.indexOf(current);
      return (
        <li
          key={step}
          aria-current={step === current ? 'step' : undefined}
          className={cx('flex items-center gap-1.5', step === current ? 'font-medium' : 'text-muted')}
        >
          <span
            aria-hidden="true"
            className={cx(
              'flex size-5 items-center justify-center rounded-full border text-xs',
              step === current ? 'border-accent bg-accent text-on-accent' : 'border-line-strong',
            )}
          >
            {isDone ? <Check className="size-3" /> : index + 1}
          </span>
          {words.realMoney.steps[step]}
          {isDone && <span className="sr-only">{words.realMoney.stepDone}</span>}
        </li>
      );
    })}
  </ol>
);
