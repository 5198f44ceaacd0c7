import { ShoppingCart } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import type { Purchase } from '../../../../shared/api/services.ts';
import { sell as words } from '../../strings/sell.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/failures.tsx';
import { SellProblem } from './sell-problem.tsx';
import { useBuy } from './use-sell.ts';

/** Buys from a service with the wallet's own sats, and shows the answer as a customer gets it. */
export const OwnPurchase = ({ agent }: { readonly agent: string }) => {
  const [prompt, setPrompt] = useState('');
  const buy = useBuy(agent);
  const id = useId();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (prompt.trim() !== '' && !buy.isPending) buy.mutate(prompt);
  };
  return (
    <form
      onSubmit={submit}
      aria-labelledby={`${id}-heading`}
      className="flex max-w-prose flex-col gap-2 pt-2"
    >
      <h3 id={`${id}-heading`} className="font-medium">
        {words.buy.heading}
      </h3>
      <p className="text-sm text-pretty text-muted">{words.buy.hint}</p>
      <label htmlFor={id} className="text-sm">
        {words.buy.prompt}
      </label>
      <textarea
        id={id}
        rows={2}
        value={prompt}
        maxLength={10_000}
        onChange={({ target }) => setPrompt(target.value)}
        className="max-h-60 w-full resize-y rounded-md border border-line-strong bg-canvas px-2.5 py-1.5"
      />
      <div>
        <Button type="submit" disabled={prompt.trim() === '' || buy.isPending}>
          <ShoppingCart aria-hidden="true" className="size-3.5" />
          {buy.isPending ? words.buy.buying : words.buy.buy}
        </Button>
      </div>
      <div role="status" className="flex flex-col gap-1">
        {buy.data && <Bought {...buy.data} />}
      </div>
      {buy.error && <SellProblem agent={agent} error={buy.error} title={words.buy.failed} />}
    </form>
  );
};

const Bought = ({ answer, refusal, paidSats, backSats }: Purchase) => (
  <>
    {answer === null ? (
      <Problem>{refusal}</Problem>
    ) : (
      <p className="rounded-md border border-line bg-sunken p-3 wrap-anywhere whitespace-pre-wrap">
        {answer}
      </p>
    )}
    <p className="text-sm text-muted">{words.buy.paid(paidSats, backSats)}</p>
  </>
);
