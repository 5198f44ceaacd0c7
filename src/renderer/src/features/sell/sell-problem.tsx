import { Link } from 'wouter';
import type { ApiError } from '../../api/client.ts';
import { useRefreshBtcPrice } from '../../money/refresh-btc-price.ts';
import { paths } from '../../routes.ts';
import { requestAction } from '../../shell/intents.ts';
import { common } from '../../strings/common.ts';
import { models as modelWords } from '../../strings/models.ts';
import { pricing as pricingWords } from '../../strings/pricing.ts';
import { sell as words } from '../../strings/sell.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';

const priceWords = pricingWords.btc;

const pricing = { href: paths.pricing, label: words.openPricing };

/** Links to where a person can fix each error, by error code. */
const WAYS: Readonly<Record<string, { readonly href: string; readonly label: string }>> = {
  agent_not_priced: pricing,
  pricing_config_invalid: pricing,
  too_many_keys: { href: paths.settingsOf('keys'), label: words.openKeys },
};

interface SellProblemProps {
  readonly agent: string;
  readonly error: ApiError;
  readonly title?: string;
  /** Sets a flat price, which needs no model. */
  readonly onFlat?: (() => void) | undefined;
}

/** Says why an agent has no price or isn't for sale, with links to fix it. */
export const SellProblem = (props: SellProblemProps) =>
  props.error.code === 'price_unavailable' ? <NoBtcPrice /> : <OtherProblem {...props} />;

/** Offers to query the price sources and, if they fail, links to their setting. */
const NoBtcPrice = () => {
  const { run, isPending, error } = useRefreshBtcPrice();
  return (
    <Callout
      tone="warn"
      announce="alert"
      actions={
        <div className="flex flex-wrap gap-2 pt-1">
          <Button size="small" disabled={isPending} onClick={run}>
            {isPending ? priceWords.refreshing : common.tryAgain}
          </Button>
          {error && (
            <Link href={paths.settingsOf('pricing')} className={buttonClass('secondary', 'small')}>
              {priceWords.changeSources}
            </Link>
          )}
        </div>
      }
    >
      <p>
        {error?.code === 'refresh_failed'
          ? `${priceWords.noSource}.`
          : (error?.message ?? words.blocked.noPrice)}
      </p>
    </Callout>
  );
};

const OtherProblem = ({ agent, error, title, onFlat }: SellProblemProps) => {
  const isUnpriced = error.code === 'agent_not_priced';
  const way = WAYS[error.code];
  return (
    <Callout
      tone={title === undefined ? 'warn' : 'danger'}
      announce="alert"
      {...(title === undefined ? {} : { title })}
      actions={
        way && (
          <div className="flex flex-wrap gap-2 pt-1">
            <Link href={way.href} className={buttonClass('secondary', 'small')}>
              {way.label}
            </Link>
            {isUnpriced && (
              <Button size="small" onClick={() => requestAction({ kind: 'set-model', id: agent })}>
                {modelWords.title}
              </Button>
            )}
            {isUnpriced && onFlat && (
              <Button size="small" onClick={onFlat}>
                {words.useFlat}
              </Button>
            )}
          </div>
        )
      }
    >
      <p>{error.message}</p>
    </Callout>
  );
};
