const SENTENCES = [
  'Read the whole question before you begin, and say what you understood in one line.',
  'Prefer the smallest change that solves the problem; leave unrelated code alone.',
  'When a command fails, show its last lines and stop, instead of guessing what it meant.',
  'Never write outside the workspace unless the person asked for it in so many words.',
  'Cite the file and the line for each claim about the code, so that it can be checked.',
  'Ask before anything that costs money, reaches the network or cannot be undone.',
  'Use `git status --short` first: work that is not committed belongs to somebody.',
  'Keep a list of what is open, and strike out a point only when its test has passed.',
  'Names carry their unit: timeoutMs, sizeBytes, satsPerToken.',
  'Answer in the language of the question; quote errors as they were, untranslated.',
  'A table helps when three things are compared; two things are a sentence.',
  'Umlauts, accents and dashes – like these: äöü éè – are ordinary text.',
];

/** Numbers that are the same in every run, so that two runs measure the same bytes (mulberry32). */
export const createRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Some sentences of instructions in one line, at least `length` characters long. */
export const makeSentences = (random: () => number, length: number): string => {
  let text = '';
  while (text.length < length) text += `${SENTENCES[Math.floor(random() * SENTENCES.length)]} `;
  return text.trimEnd();
};

/** Markdown as people write instructions: headings, paragraphs, lists, a code block; about `length` characters. */
export const makeMarkdown = (random: () => number, title: string, length: number): string => {
  let text = `# ${title}\n`;
  for (let section = 1; text.length < length; section++) {
    text += `\n## Step ${section}\n\n${makeSentences(random, 250)}\n\n`;
    text += `- ${makeSentences(random, 60)}\n- ${makeSentences(random, 60)}\n`;
    if (section % 2 === 0) text += '\n```sh\ngit log --oneline -10 | head -5\n```\n';
  }
  return text;
};
