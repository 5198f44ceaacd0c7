import { useSyncExternalStore } from 'react';
import { drafts } from '../drafts/drafts.ts';
import { unsaved } from '../drafts/unsaved.ts';
import { downloadUnsaved, unsavedText } from '../drafts/unsaved-file.ts';
import { restarted as words } from '../strings/sign-in.ts';
import { Button } from '../ui/button.tsx';
import { writeClipboard } from '../ui/clipboard.ts';
import { notify } from '../ui/toast.tsx';
import { Banner } from './banner.tsx';

const copy = async (): Promise<void> => {
  notify((await writeClipboard(unsavedText())) ? words.copied : words.notCopied);
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
          <Button size="small" onClick={downloadUnsaved}>
            {words.download}
          </Button>
        </>
      )}
    </Banner>
  );
};
