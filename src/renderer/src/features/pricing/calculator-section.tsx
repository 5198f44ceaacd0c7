import { useId, useState } from 'react';
import { pricesAt } from '../../../../shared/price-math.ts';
import { satsOf, satsPerToken } from '../../../../shared/sats.ts';
import type { PricedModel } from '../../api/models.ts';
import { formatSats, formatUsd } from '../../money/format-price.ts';
import { parseTokenCount } from '../../money/read-price.ts';
import { pricing as words } from '../../strings/pricing.ts';
import { cx } from '../../ui/cx.ts';
import { Problem } from '../../ui/failures.tsx';
import { TextField } from '../../ui/field.tsx';
import { Hint } from '../../ui/hint.tsx';
import { Section } from '../../ui/section.tsx';

/** The cost of model tokens. `sats` is null while there is no BTC price. */
interface Cost {
  readonly usd: number;
  readonly sats: number | null;
}

/** The cost of a call: its input, its output, the provider's fee and the total. */
interface CallCost {
  readonly input: Cost;
  readonly output: Cost;
  readonly fee: Cost;
  readonly total: Cost;
}

const TOKENS_PER_PRICE = 1_000_000;

const costOf = (usdPerMillion: number, tokens: number, btcUsd: number | null): Cost => ({
  usd: (usdPerMillion * tokens) / TOKENS_PER_PRICE,
  sats: btcUsd === null ? null : satsPerToken(usdPerMillion, btcUsd) * tokens,
});

/** Calculates the cost of a call with this many model tokens. */
export const calculate = (
  model: PricedModel,
  tokens: { readonly input: number; readonly output: number },
  btcUsd: number | null,
): CallCost => {
  const { inputUsd, outputUsd, requestUsd = 0, tiers } = model;
  const prices = pricesAt(
    { input_usd_per_million: inputUsd, output_usd_per_million: outputUsd, tiers },
    tokens.input,
  );
  const input = costOf(prices.input_usd_per_million, tokens.input, btcUsd);
  const output = costOf(prices.output_usd_per_million, tokens.output, btcUsd);
  const fee = { usd: requestUsd, sats: btcUsd === null ? null : satsOf(requestUsd, btcUsd) };
  const sats =
    input.sats === null || output.sats === null || fee.sats === null
      ? null
      : input.sats + output.sats + fee.sats;
  return { input, output, fee, total: { usd: input.usd + output.usd + fee.usd, sats } };
};

interface ModelFieldProps {
  readonly models: readonly PricedModel[];
  readonly value: string;
  readonly onChange: (name: string) => void;
  readonly error: string | undefined;
}

/** A field for a model's name. It suggests known names. */
const ModelField = ({ models, value, onChange, error }: ModelFieldProps) => {
  const id = useId();
  // Suggest nothing until the field is used, because there are thousands of names.
  const [isUsed, setIsUsed] = useState(false);
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">
        {words.calculator.model}
      </label>
      <input
        id={id}
        list={`${id}-names`}
        value={value}
        onFocus={(event) => {
          setIsUsed(true);
          // Typing replaces the selected name, which would otherwise be the only suggestion.
          event.target.select();
        }}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className={cx(
          'h-8 w-full rounded-md border bg-canvas px-2.5 font-mono text-ink outline-offset-0',
          error === undefined ? 'border-line-strong' : 'border-danger',
        )}
      />
      <datalist id={`${id}-names`}>
        {isUsed && models.map(({ name }) => <option key={name} value={name} />)}
      </datalist>
      {error !== undefined && <Problem id={`${id}-error`}>{error}</Problem>}
    </div>
  );
};

interface CalculatorSectionProps {
  readonly models: readonly PricedModel[];
  /** Null while there is no BTC price. */
  readonly btcUsd: number | null;
}

/** Calculates the cost of a model call while its tokens are typed. */
export const CalculatorSection = ({ models, btcUsd }: CalculatorSectionProps) => {
  const [name, setName] = useState<string | null>(null);
  const [input, setInput] = useState('10,000');
  const [output, setOutput] = useState('1,000');
  const shown = name ?? models[0]?.name ?? '';
  const model = models.find((each) => each.name === shown);
  const tokens = { input: parseTokenCount(input), output: parseTokenCount(output) };
  const cost =
    model && tokens.input !== null && tokens.output !== null
      ? calculate(model, { input: tokens.input, output: tokens.output }, btcUsd)
      : null;
  return (
    <Section heading={words.calculator.heading}>
      {/* The fields form one row below the chart, or a column next to it. */}
      <div className="flex min-w-0 flex-wrap gap-x-4 gap-y-3 wide:flex-col wide:flex-nowrap">
        <div className="min-w-48 flex-1">
          <ModelField
            models={models}
            value={shown}
            onChange={setName}
            error={model || models.length === 0 ? undefined : words.calculator.noModel}
          />
        </div>
        <div className="flex min-w-56 flex-1 gap-3">
          <div className="min-w-0 flex-1">
            <TextField
              label={words.calculator.input}
              value={input}
              onValueChange={setInput}
              inputMode="numeric"
              error={tokens.input === null ? words.calculator.notCount : undefined}
            />
          </div>
          <div className="min-w-0 flex-1">
            <TextField
              label={words.calculator.output}
              value={output}
              onValueChange={setOutput}
              inputMode="numeric"
              error={tokens.output === null ? words.calculator.notCount : undefined}
            />
          </div>
        </div>
        <Result cost={cost} />
      </div>
    </Section>
  );
};

const SHOWN = ['input', 'output', 'fee', 'total'] as const;

const Result = ({ cost }: { readonly cost: CallCost | null }) => {
  const id = useId();
  return (
    <div role="status" aria-labelledby={id} className="flex min-w-48 flex-1 flex-col gap-1 tabular-nums">
      <span id={id} className="sr-only">
        {words.calculator.result}
      </span>
      {cost && (
        <>
          <dl className="flex flex-col gap-y-0.5">
            {SHOWN.filter((side) => side !== 'fee' || cost.fee.usd > 0).map((side) => (
              <Line
                key={side}
                label={words.calculator.sides[side]}
                cost={cost[side]}
                isTotal={side === 'total'}
              />
            ))}
          </dl>
          {cost.total.sats !== null && !Number.isInteger(cost.total.sats) && (
            <p className="text-right text-sm text-muted">
              {words.calculator.rounded(Math.ceil(cost.total.sats))}
            </p>
          )}
        </>
      )}
    </div>
  );
};

interface LineProps {
  readonly label: string;
  readonly cost: Cost;
  readonly isTotal: boolean;
}

const Line = ({ label, cost, isTotal }: LineProps) => (
  <div className={cx('flex gap-x-3', isTotal && 'font-semibold')}>
    <dt className={cx('shrink-0', !isTotal && 'text-muted')}>{label}</dt>
    {/* If both numbers don't fit on one line, each gets its own. */}
    <dd className="flex min-w-0 flex-1 flex-wrap justify-end gap-x-3">
      {cost.sats === null ? (
        <span className="min-w-0 text-right">{words.calculator.noSats}</span>
      ) : (
        <Hint label={words.calculator.sats(String(cost.sats))} className="min-w-0 text-right">
          {words.calculator.sats(formatSats(cost.sats))}
        </Hint>
      )}
      <Hint label={`$${cost.usd}`} className="min-w-14 text-right">
        {formatUsd(cost.usd)}
      </Hint>
    </dd>
  </div>
);
