import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { BackupWords } from '../../../../../shared/api/wallet.ts';
import { balanceQuery } from '../../../api/wallet-queries.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';

/** Backup words, numbered as on paper. */
const WordList = ({ mnemonic, label, id }: { mnemonic: string; label: string; id?: string }) => (
  <ol
    id={id}
    aria-label={label}
    className="grid grid-cols-[repeat(auto-fill,minmax(7rem,1fr))] gap-x-3 gap-y-1.5 rounded-md border border-line bg-sunken p-3 font-mono"
  >
    {mnemonic.split(' ').map((word, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a word may appear twice, and the list never changes
      <li key={index} className="flex gap-2">
        <span aria-hidden="true" className="w-6 text-right text-muted select-none">
          {index + 1}
        </span>
        {word}
      </li>
    ))}
  </ol>
);

/** The addresses of the mints with sats that belong to the words. Without an address, the words find nothing. */
const MintAddresses = () => {
  const { data } = useQuery(balanceQuery());
  if (!data) return null;
  const mints = [data.mint, ...(data.otherMints ?? []).map(({ mint }) => mint)];
  return (
    <section className="flex flex-col gap-1">
      <p className="text-pretty">{words.backup.mints(mints.length)}</p>
      <ul>
        {mints.map((mint) => (
          <li key={mint} className="flex items-start gap-2">
            <code className="min-w-0 pt-0.5 break-all">{mint}</code>
            <CopyButton label={words.mint.copy} text={mint} />
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The wallet's words, and other words in its directory. */
export const ShownWords = ({ seed: { mnemonic, protection, others } }: { readonly seed: BackupWords }) => (
  <>
    <WordList mnemonic={mnemonic} label={words.backup.words} />
    <div className="flex items-start gap-2 text-sm text-muted">
      <CopyButton label={words.backup.copy} text={mnemonic} />
      <p className="min-w-0 pt-0.75 text-pretty">{words.backup.copyWarning}</p>
    </div>
    <MintAddresses />
    <p className="text-sm text-pretty text-muted">{words.backup.protection[protection]}</p>
    {others.length > 0 && (
      <section className="flex flex-col gap-2 border-t border-line pt-3">
        <h3 className="font-semibold">{words.backup.othersHeading}</h3>
        <p className="text-pretty text-muted">{words.backup.othersHint}</p>
        <ul className="flex flex-col gap-2">
          {others.map((other, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: mints may be unknown, and the list never changes
            <OtherWords key={index} {...other} />
          ))}
        </ul>
      </section>
    )}
  </>
);

const OtherWords = ({ mint, mnemonic }: BackupWords['others'][number]) => {
  const [isShown, setIsShown] = useState(false);
  const id = useId();
  const name = mint ?? words.backup.unknownMint;
  return (
    <li className="flex flex-col gap-1.5">
      <div className="flex items-start gap-2">
        <bdi className="min-w-0 flex-1 pt-0.5 break-all">{name}</bdi>
        <Button
          size="small"
          aria-label={isShown ? words.backup.hideOther(name) : words.backup.showOther(name)}
          aria-expanded={isShown}
          aria-controls={isShown ? id : undefined}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? words.backup.hide : words.backup.reveal}
        </Button>
        <CopyButton label={words.backup.copyOther(name)} text={mnemonic} />
      </div>
      {isShown && <WordList id={id} mnemonic={mnemonic} label={words.backup.otherWords(name)} />}
    </li>
  );
};
