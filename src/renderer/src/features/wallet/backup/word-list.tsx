import { useId, useState } from 'react';
import type { BackupWords } from '../../../../../shared/api/wallet.ts';
import { wallet as texts } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';

const words = texts.backup;

/** Backup words, numbered as they are on paper. */
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

/** The words of the wallet, and other words that its directory holds. */
export const ShownWords = ({ seed: { mnemonic, protection, others } }: { readonly seed: BackupWords }) => (
  <>
    <WordList mnemonic={mnemonic} label={words.words} />
    <div className="flex items-start gap-2 text-sm text-muted">
      <CopyButton label={words.copy} text={mnemonic} />
      <p className="min-w-0 pt-0.75 text-pretty">{words.copyWarning}</p>
    </div>
    <p className="text-sm text-pretty text-muted">{words.protection[protection]}</p>
    {others.length > 0 && (
      <section className="flex flex-col gap-2 border-t border-line pt-3">
        <h3 className="font-semibold">{words.othersHeading}</h3>
        <p className="text-pretty text-muted">{words.othersHint}</p>
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
  const name = mint ?? words.unknownMint;
  return (
    <li className="flex flex-col gap-1.5">
      <div className="flex items-start gap-2">
        <bdi className="min-w-0 flex-1 pt-0.5 break-all">{name}</bdi>
        <Button
          size="small"
          aria-label={isShown ? words.hideOther(name) : words.showOther(name)}
          aria-expanded={isShown}
          aria-controls={isShown ? id : undefined}
          onClick={() => setIsShown(!isShown)}
        >
          {isShown ? words.hide : words.reveal}
        </Button>
        <CopyButton label={words.copyOther(name)} text={mnemonic} />
      </div>
      {isShown && <WordList id={id} mnemonic={mnemonic} label={words.otherWords(name)} />}
    </li>
  );
};
