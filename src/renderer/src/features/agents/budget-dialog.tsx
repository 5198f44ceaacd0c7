import { useEffect, useEffectEvent, useState } from 'react';
import type { AgentBudget, BudgetLimit, LimitName } from '../../../../shared/api/budgets.ts';
import { parseInteger } from '../../parse-integer.ts';
import { budgets as words } from '../../strings/budgets.ts';
import { cost as costWords } from '../../strings/cost.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failures.tsx';
import { CheckboxField, TextField } from '../../ui/field.tsx';
import { useBudget, useGuard, useSetBudget } from './use-budget.ts';

const NAMES: readonly LimitName[] = ['usdPerDay', 'usdPerMonth', 'satsPerDay', 'satsPerMonth'];

type Typed = Readonly<Record<LimitName, string>>;

const EMPTY: Typed = { usdPerDay: '', usdPerMonth: '', satsPerDay: '', satsPerMonth: '' };

const isUsd = (name: LimitName): boolean => name.startsWith('usd');

const nameOf = ({ unit, period }: BudgetLimit): LimitName =>
  `${unit}Per${period === 'day' ? 'Day' : 'Month'}`;

const typedOf = ({ limits }: AgentBudget): Typed => ({
  ...EMPTY,
  ...Object.fromEntries(limits.map((limit) => [nameOf(limit), String(limit.limit)])),
});

/** Returns a field's amount, null if it's empty, or undefined if it isn't a valid limit. */
const amountOf = (name: LimitName, typed: string): number | null | undefined => {
  const text = typed.trim();
  if (text === '') return null;
  const amount = isUsd(name)
    ? /^\d+(?:\.\d+)?$/.test(text)
      ? Number(text)
      : Number.NaN
    : (parseInteger(text) ?? Number.NaN);
  return amount > 0 ? amount : undefined;
};

interface BudgetDialogProps {
  readonly id: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Shows and sets an agent's limits. Saving needs the operator token. */
export const BudgetDialog = ({ id, open, onOpenChange }: BudgetDialogProps) => {
  const budget = useBudget(id, open);
  const guard = useGuard(id, open);
  const [typed, setTyped] = useState<Typed>();
  const [ticked, setTicked] = useState<boolean>();
  const { mutate, reset, isPending, error } = useSetBudget(id, () => onOpenChange(false));
  // On for a first budget, because limits should be enforced. If a saved budget has no guard, a person chose that.
  const isGuarded = ticked ?? (guard === 'linked' || budget?.limits.length === 0);
  const begin = useEffectEvent(() => {
    setTyped(undefined);
    setTicked(undefined);
    reset();
  });
  useEffect(() => {
    if (open) begin();
  }, [open]);

  // Until someone types, the fields follow the API.
  const shown = typed ?? (budget ? typedOf(budget) : EMPTY);
  const amounts = NAMES.map((name) => [name, amountOf(name, shown[name])] as const);
  const isWrong = amounts.some(([, amount]) => amount === undefined);
  const submit = (): void => {
    // Without a limit there's nothing to guard, and a linked guard would only keep the agent from starting without dot-mi.
    const guards = isGuarded && amounts.some(([, amount]) => amount !== null);
    const links = guard === 'unlinked' && guards;
    const unlinks = guard === 'linked' && !guards;
    mutate({
      limits: Object.fromEntries(amounts),
      guard: links ? 'link' : unlinks ? 'unlink' : undefined,
    });
  };
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      title={words.title(id)}
      description={words.description}
      submitLabel={isPending ? words.saving : words.save}
      canSubmit={!isWrong && budget !== undefined}
      isPending={isPending}
      onSubmit={submit}
    >
      <div className="grid grid-cols-2 gap-4 max-single:grid-cols-1">
        {NAMES.map((name) => {
          const limit = budget?.limits.find((each) => nameOf(each) === name);
          return (
            <TextField
              key={name}
              label={words.fields[name]}
              value={shown[name]}
              inputMode={isUsd(name) ? 'decimal' : 'numeric'}
              onValueChange={(text) => setTyped({ ...shown, [name]: text })}
              hint={limit && words.used(limit)}
              error={
                amountOf(name, shown[name]) === undefined
                  ? isUsd(name)
                    ? words.usdRule
                    : words.satsRule
                  : undefined
              }
            />
          );
        })}
      </div>
      {guard && (
        <CheckboxField
          label={words.linkGuard}
          hint={words.linkGuardHint}
          checked={isGuarded}
          onCheckedChange={setTicked}
        />
      )}
      {budget?.notCounted && <p className="text-sm text-warn">{words.notCounted}</p>}
      {budget?.coveredBySubscription && (
        <p className="text-sm text-muted">{words.covered(budget.coveredBySubscription)}</p>
      )}
      {budget && budget.unpricedTokens > 0 && (
        <p className="text-sm text-warn">{words.unpriced(costWords.tokens(budget.unpricedTokens))}</p>
      )}
      {error && <Failure title={words.failed} message={error.message} />}
    </FormDialog>
  );
};
