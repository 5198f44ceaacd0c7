import { useId } from 'react';
import { sell as words } from '../../strings/sell.ts';
import { Choice } from '../../ui/choice.tsx';
import { cx } from '../../ui/cx.ts';
import { CheckboxField, TextField } from '../../ui/field.tsx';
import { isRight, LIMIT_FIELDS, PRICINGS, type TermField, type TypedTerms } from './sale-terms.ts';

const HINTS: Partial<Record<TermField, string>> = {
  margin: words.marginHint,
  variables: words.variablesHint,
  price: words.priceHint,
  maxOutputTokens: words.maxOutputTokensHint,
  parallel: words.parallelHint,
  timeoutSeconds: words.timeoutSecondsHint,
  lossLimitSats: words.lossLimitSatsHint,
  port: words.portHint,
};

interface TermsFieldsProps {
  readonly typed: TypedTerms;
  readonly onChange: (next: TypedTerms) => void;
  /** The API's error message about the port. */
  readonly portProblem: string | undefined;
  readonly areLimitsOpen: boolean;
  readonly onLimits: (areOpen: boolean) => void;
}

/** The fields for a request's price and, behind a disclosure, for its limits and address. */
export const TermsFields = ({ typed, onChange, portProblem, areLimitsOpen, onLimits }: TermsFieldsProps) => {
  const id = useId();
  const field = (name: TermField) => (
    <TextField
      key={name}
      label={words[name]}
      value={typed[name]}
      inputMode={name === 'description' || name === 'variables' ? 'text' : 'numeric'}
      onValueChange={(text) => onChange({ ...typed, [name]: text })}
      hint={HINTS[name]}
      error={isRight(typed, name) ? (name === 'port' ? portProblem : undefined) : words.rules[name]}
    />
  );
  // An invalid value must stay visible.
  const isOpen = areLimitsOpen || !LIMIT_FIELDS.every((name) => isRight(typed, name));
  return (
    <div className="flex flex-col gap-4">
      <Choice
        label={words.pricing}
        options={PRICINGS}
        names={words.pricings}
        value={typed.pricing}
        onChange={(pricing) => onChange({ ...typed, pricing })}
      />
      <div className="max-w-64">{field(typed.pricing === 'flat' ? 'price' : 'margin')}</div>
      {field('description')}
      {field('variables')}
      <CheckboxField
        label={words.startsWithApp}
        checked={typed.startsWithApp}
        onCheckedChange={(startsWithApp) => onChange({ ...typed, startsWithApp })}
      />
      <div className="flex flex-col gap-3">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => onLimits(!isOpen)}
          className="flex w-fit items-center gap-1.5 rounded text-muted hover:text-ink"
        >
          <span aria-hidden="true" className={cx('text-xs transition-transform', isOpen && 'rotate-90')}>
            ▶
          </span>
          {words.more}
        </button>
        <div id={id} hidden={!isOpen} className="grid grid-cols-2 gap-4 max-single:grid-cols-1">
          {isOpen && LIMIT_FIELDS.map(field)}
        </div>
      </div>
    </div>
  );
};
