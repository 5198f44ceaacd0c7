import { drafts } from './drafts.ts';
import { unsaved } from './unsaved.ts';

/** How long the browser needs the file before it has saved it. */
const KEEP_MS = 60_000;

/** Returns all text that this tab holds unsaved, with its places. Empty if there is none. */
export const unsavedText = (): string => {
  const files = drafts.all().map(({ id, file, text }) => `# ${id}/${file}\n\n${text}\n`);
  const fields = Object.entries(unsaved.all()).map(
    ([key, value]) => `# ${key}\n\n${JSON.stringify(value, null, 2)}\n`,
  );
  return [...files, ...fields].join('\n');
};

/** Lets the person save all unsaved text of this tab as a file. */
export const downloadUnsaved = (): void => {
  const url = URL.createObjectURL(new Blob([unsavedText()], { type: 'text/markdown' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'dot-mi-unsaved-text.md';
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
};
