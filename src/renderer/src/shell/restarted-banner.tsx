import { useSyncExternalStore } from 'react';
import { drafts } from '../drafts/drafts.ts';
import { unsaved } from '../drafts/unsaved.ts';
import { restarted as words } from '../strings/sign-in.ts';
import { Button } from '../ui/button.tsx';
import { writeClipboard } from '../ui/clipboard.ts';
import { reportFailure } from '../ui/failures.tsx';
import { notify } from '../ui/toast.tsx';
import { Banner } from './banner.tsx';

/** How long the browser needs the file before it has saved it. */
const KEEP_MS = 60_000;

/** Returns all text that this tab holds unsaved, with its places. */
const unsavedText = (): string => {
  const files = drafts.all().map(({ id, file, text }) => `# ${id}/${file}\n\n${text}\n`);
  const fields = Object.entries(unsaved.all()).map(
    ([key, value]) => `# ${key}\n\n${JSON.stringify(value, null, 2)}\n`,
  );
  return [...files, ...fields].join('\n');
};

const copy = async (): Promise<void> => {
  if (await writeClipboard(unsavedText())) notify(words.copied);
  else reportFailure(words.notCopied);
};

const download = (): void => {
  const url = URL.createObjectURL(new Blob([unsavedText()], { type: 'text/markdown' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'dot-mi-unsaved-text.md';
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
};

/** Says that dot-mi has a new address, which only its terminal shows, and offers the text that only this tab has. */
export const RestartedBanner = () => {
  const hasFiles = useSyncExternalStore(drafts.subscribe, () => drafts.all().length > 0);
  const hasFields = useSyncExternalStore(unsaved.subscribe, () => Object.keys(unsaved.all()).length > 0);
  const hasText = hasFiles || hasFields;
  return (
    <Banner role="alert" tone="danger" text={hasText ? words.withText : words.text}>
      {hasText && (
        <>
          <Button size="small" onClick={() => void copy()}>
            {words.copy}
          </Button>
          <Button size="small" onClick={download}>
            {words.download}
          </Button>
        </>
      )}
    </Banner>
  );
};
