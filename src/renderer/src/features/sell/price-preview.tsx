import type { ReactNode } from 'react';
import type { ServiceEstimate } from '../../../../shared/api/services.ts';
import type { ApiError } from '../../api/client.ts';
import { sell as words } from '../../strings/sell.ts';
import { SellProblem } from './sell-problem.tsx';

/** The output length in an estimate's example, in model tokens. */
const USUAL_OUTPUT_TOKENS = 300;

const sentencesOf = (
  { sats, usualSats }: ServiceEstimate,
  isFlat: boolean,
  longestTokens: number,
): readonly string[] => {
  if (isFlat) return [words.preview.flat(sats)];
  if (sats === usualSats) return [words.preview.fixed(sats)];
  return [
    words.preview.advance(sats),
    words.preview.usual(Math.min(USUAL_OUTPUT_TOKENS, longestTokens), usualSats),
  ];
};

interface PricePreviewProps {
  readonly agent: string;
  readonly estimate: ServiceEstimate | undefined;
  readonly error: ApiError | null;
  readonly isFlat: boolean;
  /** The maximum output length, in model tokens. */
  readonly longestTokens: number;
  readonly onFlat: () => void;
}

/** Shows a customer's price and its parts. Screen readers announce changes. */
export const PricePreview = ({
  agent,
  estimate,
  error,
  isFlat,
  longestTokens,
  onFlat,
}: PricePreviewProps) => (
  <section
    aria-label={words.preview.label}
    className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-sunken p-4"
  >
    {error ? (
      <SellProblem agent={agent} error={error} onFlat={isFlat ? undefined : onFlat} />
    ) : (
      <>
        <div role="status" className="flex flex-col gap-1 text-pretty">
          {estimate ? (
            sentencesOf(estimate, isFlat, longestTokens).map((sentence, index) => (
              <p key={sentence} className={index === 0 ? 'font-medium' : undefined}>
                {sentence}
              </p>
            ))
          ) : (
            <p className="text-muted">{words.preview.loading}</p>
          )}
        </div>
        {estimate && (
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
            <Fact term={words.preview.model}>
              <bdi>{estimate.model?.replace(/^\//, '') ?? words.preview.noModel}</bdi>
            </Fact>
            <Fact term={words.preview.prompt}>{words.preview.promptTokens(estimate.promptTokens)}</Fact>
            {!isFlat && (
              <Fact term={words.preview.highest}>{words.preview.highestAmount(estimate.highestSats)}</Fact>
            )}
            {estimate.cost && (
              <Fact term={words.preview.cost} isWarning={estimate.cost.usualSats > estimate.usualSats}>
                {words.preview.costAmounts(estimate.cost.usualSats, estimate.cost.mostSats)}
              </Fact>
            )}
            <Fact term={words.preview.tools} isWarning={estimate.tools.length > 0}>
              {estimate.tools.length === 0
                ? words.preview.noTools
                : estimate.tools.map((tool) => words.tools.names[tool] ?? tool).join(', ')}
            </Fact>
          </dl>
        )}
      </>
    )}
  </section>
);

const Fact = ({
  term,
  isWarning = false,
  children,
}: {
  readonly term: string;
  readonly isWarning?: boolean;
  readonly children: ReactNode;
}) => (
  <>
    <dt className="text-muted">{term}</dt>
    <dd className={isWarning ? 'wrap-anywhere text-warn' : 'wrap-anywhere tabular-nums'}>{children}</dd>
  </>
);
