import { useId, useRef, useState } from 'react';
import { common } from '../../../strings/common.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Question } from '../../../ui/dialog.tsx';
import { Problem } from '../../../ui/failures.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { scrollsByKey } from '../../../ui/scrolls-by-key.ts';
import { TimeAgo } from '../../../ui/time-ago.tsx';
import { useFocusAfterRemoval } from '../../../ui/use-focus-after-removal.ts';
import { type TestToken, type TestTokenList, useTestTokens } from './use-test-tokens.ts';

/** Offers tokens that were received as test money and may be real. Empty if there are none. */
export const TestTokensNotice = ({ seedMissing }: { readonly seedMissing: boolean }) => {
  const list = useTestTokens();
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  useFocusAfterRemoval(place);
  const { tokens, redeemingIds, redeem } = list;
  // Keeps focus when the last token disappears, along with its buttons.
  if (tokens.length === 0) return <div ref={place} tabIndex={-1} className="outline-none" />;
  const canRedeem = !seedMissing && redeemingIds.length === 0;
  return (
    <div ref={place} tabIndex={-1} className="outline-none">
      <Notice
        tone="note"
        title={words.testTokens.title(tokens.length)}
        actions={
          <>
            <Button variant="primary" disabled={!canRedeem} onClick={() => redeem(tokens)}>
              {redeemingIds.length > 0 ? words.testTokens.redeeming : words.testTokens.redeemAll}
            </Button>
            <Button
              aria-expanded={isOpen}
              aria-controls={isOpen ? id : undefined}
              onClick={() => setIsOpen(!isOpen)}
            >
              {isOpen ? words.testTokens.hide : words.testTokens.review}
            </Button>
          </>
        }
      >
        <p className="text-muted">{seedMissing ? words.testTokens.seedMissing : words.testTokens.hint}</p>
      </Notice>
      {isOpen && <ReviewList id={id} list={list} canRedeem={canRedeem} />}
    </div>
  );
};

interface ReviewListProps {
  readonly id: string;
  readonly list: TestTokenList;
  readonly canRedeem: boolean;
}

const ReviewList = ({ id, list, canRedeem }: ReviewListProps) => {
  const { tokens, failures, redeemingIds, redeem, drop } = list;
  const element = useRef<HTMLUListElement>(null);
  const opener = useRef<HTMLElement>(null);
  const [asked, setAsked] = useState<TestToken | null>(null);
  useFocusAfterRemoval(element);
  // Keep the question's text while the dialog fades.
  const last = useRef(asked);
  if (asked) last.current = asked;
  return (
    <>
      <ul
        ref={element}
        id={id}
        tabIndex={-1}
        aria-label={words.testTokens.list}
        className="max-h-60 divide-y divide-line overflow-y-auto border-b border-line outline-none"
      >
        {tokens.map((token) => (
          <Row
            key={token.id}
            token={token}
            failure={failures[token.id]}
            isRedeeming={redeemingIds.includes(token.id)}
            canRedeem={canRedeem}
            onRedeem={() => redeem([token])}
            onDrop={(pressed) => {
              opener.current = pressed;
              setAsked(token);
            }}
          />
        ))}
      </ul>
      <Question
        open={asked !== null}
        onCancel={() => setAsked(null)}
        title={words.testTokens.dropTitle(last.current?.amount ?? 0)}
        description={words.testTokens.dropDescription}
        finalFocus={() => (opener.current?.isConnected ? opener.current : element.current)}
      >
        <Button onClick={() => setAsked(null)}>{common.cancel}</Button>
        <Button
          variant="danger"
          onClick={() => {
            if (asked) drop(asked);
            setAsked(null);
          }}
        >
          {words.testTokens.dropConfirm}
        </Button>
      </Question>
    </>
  );
};

interface RowProps {
  readonly token: TestToken;
  readonly failure: TestTokenList['failures'][string] | undefined;
  readonly isRedeeming: boolean;
  readonly canRedeem: boolean;
  readonly onRedeem: () => void;
  readonly onDrop: (pressed: HTMLElement) => void;
}

const Row = ({ token, failure, isRedeeming, canRedeem, onRedeem, onDrop }: RowProps) => {
  const { amount, memo, receivedAt } = token;
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-1.5 px-6 py-2">
      <div className="flex min-w-48 flex-1 flex-col">
        <p className="flex flex-wrap gap-x-3">
          <span className="font-medium tabular-nums">{words.sats(amount)}</span>
          <span className="text-muted">
            <TimeAgo at={receivedAt} />
          </span>
        </p>
        {memo && (
          <p ref={scrollsByKey} className="max-h-15 overflow-y-auto break-words">
            <span className="sr-only">{words.history.memo} </span>
            <bdi>{memo}</bdi>
          </p>
        )}
        {failure && (
          <Problem>
            {failure.message} <code className="text-xs break-all text-muted">{failure.code}</code>
          </Problem>
        )}
      </div>
      <div className="flex gap-1.5">
        <Button
          size="small"
          data-row-action="redeem"
          aria-label={words.testTokens.redeemLabel(amount)}
          disabled={!canRedeem}
          onClick={onRedeem}
        >
          {isRedeeming ? words.testTokens.redeeming : words.testTokens.redeem}
        </Button>
        <Button
          size="small"
          data-row-action="drop"
          aria-label={words.testTokens.dropLabel(amount)}
          disabled={isRedeeming}
          onClick={(event) => onDrop(event.currentTarget)}
        >
          {words.testTokens.drop}
        </Button>
      </div>
    </li>
  );
};
