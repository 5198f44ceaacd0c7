import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import type { QueueNews } from './use-token-queue.ts';

interface QueueNoticeProps {
  readonly news: QueueNews | null;
  /** False while another token is being received. */
  readonly canTake: boolean;
  readonly onTaken: () => void;
}

/** Says why a `cashu:` link was refused, or offers the token that waits for the field. */
export const QueueNotice = ({ news, canTake, onTaken }: QueueNoticeProps) => {
  if (!news) return null;
  if (news.kind === 'problem') {
    const { title, hint } = words.receive.link[news.problem];
    return (
      <Callout tone="danger" title={title} announce="alert">
        <p>{hint}</p>
      </Callout>
    );
  }
  const take = (): void => {
    news.take();
    onTaken();
  };
  return (
    <Callout
      tone="note"
      title={words.receive.waiting.title}
      announce="alert"
      actions={
        <div>
          <Button size="small" disabled={!canTake} onClick={take}>
            {words.receive.waiting.take}
          </Button>
        </div>
      }
    >
      <p>{canTake ? words.receive.waiting.hint : words.receive.waiting.notYet}</p>
    </Callout>
  );
};
