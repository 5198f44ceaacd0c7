import type { MintStatus } from '../../../../shared/api/wallet.ts';
import { wallet as texts } from '../../strings/wallet.ts';
import { Badge } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { Section } from '../../ui/section.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { hostOf } from './mint-url.ts';
import type { MintKnowledge } from './use-wallet.ts';

const words = texts.mint;
const TONES = { reachable: 'ok', unreachable: 'danger', error: 'danger', simulated: 'neutral' } as const;

interface MintSectionProps {
  /** The mint of the wallet, known even while it can't be reached. */
  readonly url: string;
  readonly knowledge: MintKnowledge;
}

/** The one mint of the wallet: its address and its state. */
export const MintSection = ({ url, knowledge }: MintSectionProps) => (
  <Section heading={words.heading} aside={<MintBadge knowledge={knowledge} />}>
    <div className="flex min-w-0 flex-col">
      <p className="break-words font-medium">{hostOf(url)}</p>
      <div className="flex min-w-0 items-start gap-1">
        <code className="min-w-0 break-all text-sm text-muted select-all">{url}</code>
        <CopyButton label={words.copy} text={url} />
      </div>
    </div>
    {knowledge.status === 'error' && <p className="break-words text-danger">{knowledge.error.message}</p>}
    {knowledge.status === 'known' && <MintWords mint={knowledge.mint} />}
  </Section>
);

const MintBadge = ({ knowledge }: { readonly knowledge: MintKnowledge }) => {
  switch (knowledge.status) {
    case 'asking':
      return <Badge>{words.asking}</Badge>;
    case 'error':
      return <Badge tone="danger">{words.states.error}</Badge>;
    case 'known':
      return <Badge tone={TONES[knowledge.mint.state]}>{words.states[knowledge.mint.state]}</Badge>;
  }
};

/** The mint's name and version, or its problem. Its words are a stranger's: text, kept apart from ours. */
const MintWords = ({ mint }: { readonly mint: MintStatus }) => {
  const { state, name, version, checkedAt } = mint;
  const message = mint.message ?? (state === 'simulated' ? words.simulatedHint : undefined);
  const isBad = state === 'unreachable' || state === 'error';
  return (
    <div className="flex min-w-0 flex-col gap-1">
      {message && (
        <p className={cx('line-clamp-6 break-words', isBad && 'text-danger')}>
          <bdi>{message}</bdi>
        </p>
      )}
      <p className="flex flex-wrap gap-x-2 text-sm text-muted">
        {name && <bdi className="min-w-0 break-words">{name}</bdi>}
        {version && <bdi className="min-w-0 break-words">{version}</bdi>}
        {checkedAt && (
          <span>
            {words.checked} <TimeAgo at={checkedAt} />
          </span>
        )}
      </p>
    </div>
  );
};
