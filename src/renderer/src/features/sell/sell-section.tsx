import { useQuery } from '@tanstack/react-query';
import { Store } from 'lucide-react';
import { type FormEvent, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Service } from '../../../../shared/api/services.ts';
import { healthQuery } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { balanceQuery } from '../../api/wallet-queries.ts';
import { paths } from '../../routes.ts';
import { sell as words } from '../../strings/sell.ts';
import { TrustDialog } from '../../trust/trust-dialog.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/section.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { PricePreview } from './price-preview.tsx';
import { NEW_TERMS, priceTermsOf, saleBlocker, type TypedTerms, termsOf, toTerms } from './sale-terms.ts';
import { SalesLog } from './sales-log.tsx';
import { SellProblem } from './sell-problem.tsx';
import { ServicePanel } from './service-panel.tsx';
import { TermsFields } from './terms-form.tsx';
import { ToolsQuestion } from './tools-question.tsx';
import { keepTyped, useTypedTerms } from './typed-terms.ts';
import { type Answer, risksOf, useEstimate, useService, useStart } from './use-sell.ts';

/** Sells an agent: its price and limits, the running service, and customers' requests. */
export const SellSection = ({ id }: { readonly id: string }) => {
  const read = useService(id);
  const place = useRef<HTMLDivElement>(null);
  // The stop button disappears along with the service.
  useFocusAfterRemoval(place);
  if (read.status === 'loading') return <Loading />;
  if (read.status === 'error') return <ErrorState error={read.error} onRetry={read.retry} />;
  const service = read.data;
  const isOn = service !== null && service.state !== 'stopped';
  return (
    <div ref={place} tabIndex={-1} className="@container flex flex-col outline-none">
      {isOn && (
        <>
          <ServicePanel service={service} />
          <SalesLog agent={id} />
        </>
      )}
      <TermsSection agent={id} service={service} />
      {service && !isOn && <SalesLog agent={id} />}
    </div>
  );
};

interface TermsSectionProps {
  readonly agent: string;
  readonly service: Service | null;
}

/** Accepts nothing yet, so that the server says what there is to accept. */
const NOTHING: Answer = { accepts: [] };

/** Compares two forms by their JSON. */
const isSame = (a: TypedTerms, b: TypedTerms): boolean => JSON.stringify(a) === JSON.stringify(b);

const TermsSection = ({ agent, service }: TermsSectionProps) => {
  const kept = service ? termsOf(service) : NEW_TERMS;
  // Another root can have an agent with this id.
  const key = `${lastRead(useQuery(healthQuery()))?.rootId} ${agent}`;
  const changed = useTypedTerms(key);
  const [areLimitsOpen, setAreLimitsOpen] = useState(false);
  const [question, setQuestion] = useState<'tools' | 'trust' | null>(null);
  const typed = changed ?? kept;
  const terms = toTerms(typed);
  const price = priceTermsOf(typed);
  const estimate = useEstimate(agent, price);
  const hasTestMoney = useQuery(balanceQuery()).data?.devMode === true;
  const start = useStart(agent, key);
  const { error } = start;
  const lastAnswer = useRef<Answer>(NOTHING);
  const isRunning = service?.state === 'running' || service?.state === 'starting';
  const [risks, setRisks] = useState<ReturnType<typeof risksOf>>();

  const begin = (answer: Answer): void => {
    if (!terms || start.isPending) return;
    lastAnswer.current = answer;
    start.mutate(
      { terms, typed, answer },
      {
        onSuccess: () => setQuestion(null),
        onError: (failure) => {
          const { code } = failure;
          if (code === 'root_not_trusted') setQuestion('trust');
          if (code === 'tools_not_accepted') {
            setRisks(risksOf(failure));
            setQuestion('tools');
          }
          if (code === 'port_in_use') {
            setQuestion(null);
            setAreLimitsOpen(true);
          }
        },
      },
    );
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!terms || blocker !== undefined) return;
    begin(NOTHING);
  };
  const change = (next: TypedTerms): void => {
    if (error) start.reset();
    keepTyped(key, isSame(next, kept) ? undefined : next);
  };
  const blocker = saleBlocker(typed, {
    hasNoBtcPrice: estimate.error?.code === 'price_unavailable',
  });
  const blockerId = useId();
  const isUnchanged = isRunning && changed === undefined;
  return (
    <Section heading={words.terms}>
      {!service && <p className="max-w-prose text-pretty text-muted">{words.intro}</p>}
      {hasTestMoney && (
        <Callout
          tone="warn"
          title={words.testMoney}
          actions={
            <div className="flex flex-wrap gap-2 pt-1">
              <Link href={paths.wallet} className={buttonClass('secondary', 'small')}>
                {words.openWallet}
              </Link>
            </div>
          }
        >
          <p>{words.testMoneyHint}</p>
        </Callout>
      )}
      <form
        noValidate
        onSubmit={submit}
        className="grid grid-cols-1 items-start gap-x-8 gap-y-5 pt-1 @3xl:grid-cols-[minmax(0,1fr)_minmax(0,22rem)]"
      >
        <TermsFields
          typed={typed}
          onChange={change}
          portProblem={error?.code === 'port_in_use' ? error.message : undefined}
          areLimitsOpen={areLimitsOpen}
          onLimits={setAreLimitsOpen}
        />
        <PricePreview
          agent={agent}
          estimate={estimate.data}
          error={estimate.error}
          isFlat={typed.pricing === 'flat'}
          longestTokens={price?.maxOutputTokens ?? Number.POSITIVE_INFINITY}
          onFlat={() => change({ ...typed, pricing: 'flat' })}
        />
        <div className="flex flex-col gap-3 @3xl:col-span-2">
          {error && question === null && (
            <SellProblem agent={agent} error={error} title={words.startFailed} />
          )}
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Button
              type="submit"
              variant="primary"
              aria-describedby={blockerId}
              disabled={blocker !== undefined || start.isPending || isUnchanged}
            >
              <Store aria-hidden="true" className="size-4" />
              {start.isPending ? words.starting : isRunning ? words.apply : words.sell}
            </Button>
            <p id={blockerId} role="status" className="text-sm text-muted">
              {blocker}
            </p>
          </div>
        </div>
      </form>
      {question === 'tools' && risks && (
        <ToolsQuestion
          // What was accepted counts for what was shown.
          key={JSON.stringify(risks)}
          agent={agent}
          {...risks}
          isPending={start.isPending}
          error={lastAnswer.current === NOTHING ? null : error}
          onCancel={() => {
            setQuestion(null);
            start.reset();
          }}
          onAnswer={begin}
        />
      )}
      <TrustDialog
        open={question === 'trust'}
        acceptLabel={words.trust}
        onRefuse={() => setQuestion(null)}
        onTrusted={() => {
          setQuestion(null);
          // Tools that had to be removed are gone by now.
          begin(lastAnswer.current === 'remove' ? NOTHING : lastAnswer.current);
        }}
      />
    </Section>
  );
};
