import { useId, useState } from 'react';
import type { PricedModel } from '../../../api/models.ts';
import { formatSats, formatUsd } from '../../../format-price.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { cx } from '../../../ui/cx.ts';
import { TextField } from '../../../ui/field.tsx';
import { Hint } from '../../../ui/hint.tsx';
import { Section } from '../../../ui/section.tsx';
import { type CallCost, type Cost, calculate, parseTokenCount } from './calculate.ts';
import { ModelField } from './model-field.tsx';

interface CalculatorSectionProps {
  readonly models: readonly PricedModel[];
  /** Null while there is no BTC price. */
  readonly btcUsd: number | null;
}

/** Calculates the cost of a call to a model while its tokens are typed. */
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
      {/* One row across the page below the chart, or a column next to it. */}
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
            {(['input', 'output', 'total'] as const).map((side) => (
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
    {/* Two numbers that are too long for one line get a line each. */}
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
