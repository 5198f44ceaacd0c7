import { wallet as texts } from '../../strings/wallet.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import type { LinkNews } from './use-cashu-link.ts';

const words = texts.receive.link;

interface LinkNoticeProps {
  readonly link: LinkNews | null;
  readonly onTaken: () => void;
}

/** Says why a `cashu:` link did not fill the field in. */
export const LinkNotice = ({ link, onTaken }: LinkNoticeProps) => {
  if (!link) return null;
  if (link.kind === 'problem') {
    const { title, hint } = words[link.problem];
    return (
      <Callout tone="danger" title={title} announce="alert">
        <p>{hint}</p>
      </Callout>
    );
  }
  const take = (): void => {
    link.take();
    onTaken();
  };
  return (
    <Callout tone="note" title={words.waiting.title} announce="alert">
      <p>{words.waiting.hint}</p>
      <div>
        <Button size="small" onClick={take}>
          {words.waiting.take}
        </Button>
      </div>
    </Callout>
  );
};
