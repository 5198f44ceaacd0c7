import type { MintStatus } from '../../../../shared/api/wallet.ts';
import { hostOf } from '../../../../shared/mint-url.ts';
import { wallet as words } from '../../strings/wallet.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { cx } from '../../ui/cx.ts';
import { TimeAgo } from '../../ui/time-ago.tsx';
import type { MintKnowledge } from './use-wallet.ts';

/** Colors for the dot and the words of each state. */
const TONES = {
  reachable: { dot: 'bg-ok', text: 'text-muted' },
  unreachable: { dot: 'bg-danger', text: 'text-danger' },
  error: { dot: 'bg-danger', text: 'text-danger' },
  simulated: { dot: 'bg-line-strong', text: 'text-muted' },
  asking: { dot: 'bg-line-strong', text: 'text-muted' },
} as const;

interface MintLineProps {
  /** The mint of the wallet, known even while it can't be reached. */
  readonly url: string;
  readonly knowledge: MintKnowledge;
}

/** The one mint of the wallet at the foot of the page: its address and its state. */
export const MintLine = ({ url, knowledge }: MintLineProps) => {
  const state = knowledge.status === 'known' ? knowledge.mint.state : knowledge.status;
  const tone = TONES[state];
  return (
    <section
      aria-label={words.mint.heading}
      className="sticky bottom-0 mt-auto flex min-w-0 flex-col border-t border-line bg-canvas px-6 py-1.5 text-sm"
    >
      <div className="flex min-w-0 flex-wrap items-center gap-x-2">
        <span aria-hidden="true" className={cx('size-2 shrink-0 rounded-full', tone.dot)} />
        <bdi className="font-medium">{hostOf(url)}</bdi>
        <span className={tone.text}>{words.mint.states[state]}</span>
        <div className="ml-auto flex min-w-0 items-center gap-1 text-muted">
          <code className="min-w-0 text-xs wrap-anywhere select-all">{url}</code>
          <CopyButton label={words.mint.copy} text={url} />
        </div>
      </div>
      {knowledge.status === 'error' && <p className="break-words text-danger">{knowledge.error.message}</p>}
      {knowledge.status === 'known' && <MintWords mint={knowledge.mint} />}
    </section>
  );
};

/** The mint's name and version, or its problem. Its words are a stranger's: text, kept apart from ours. */
const MintWords = ({ mint: { state, name, version, checkedAt, message } }: { readonly mint: MintStatus }) => {
  const isBad = state === 'unreachable' || state === 'error';
  return (
    <>
      {message && (
        <p className={cx('line-clamp-3 break-words', isBad ? 'text-danger' : 'text-muted')}>
          <bdi>{message}</bdi>
        </p>
      )}
      {(name || version || checkedAt) && (
        <p className="flex flex-wrap gap-x-2 text-xs text-muted">
          {name && <bdi className="min-w-0 truncate">{name}</bdi>}
          {version && <bdi className="min-w-0 truncate">{version}</bdi>}
          {checkedAt && (
            <span>
              {words.mint.checked} <TimeAgo at={checkedAt} />
            </span>
          )}
        </p>
      )}
    </>
  );
};
