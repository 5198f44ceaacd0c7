/** A part in quotes, a space after a backslash, or any other character. */
const PART = /"([^"]*)"?|'([^']*)'?|\\( )|(\s+)|([\s\S])/g;

/** Splits a command line into its words, as a shell does. A backslash is one, because Windows has it in paths, unless a space follows. */
export const commandWords = (text: string): string[] => {
  const words: string[] = [];
  let isOpen = false;
  for (const [, double, single, space, gap, other] of text.trim().matchAll(PART)) {
    if (gap !== undefined) {
      isOpen = false;
      continue;
    }
    const part = double ?? single ?? space ?? other ?? '';
    if (isOpen) words[words.length - 1] += part;
    else words.push(part);
    isOpen = true;
  }
  return words;
};
