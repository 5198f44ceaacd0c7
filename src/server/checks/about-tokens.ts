import type { SkillFacts } from './snapshot.ts';

/**
 * Latin text and code have about four characters per model token. The estimate is within 25% of o200k_base, whose
 * tables would take 80 MB and 0.3 s in the checks thread.
 */
const CHARACTERS_PER_TOKEN = 4;
/** Model tokens per Chinese, Japanese or Korean character. */
const TOKENS_PER_WIDE = 0.6;
const FIRST_WIDE = 0x2e80;
const FIRST_AFTER_WIDE = 0xd800;
/** The length of the tags around a skill in a prompt, and of its SKILL.md path, in characters. */
const AROUND_SKILL = 140;

/** Estimates how many model tokens some text has. */
export const aboutTokens = (text: string): number => {
  let wide = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= FIRST_WIDE && code < FIRST_AFTER_WIDE) wide++;
  }
  return Math.ceil((text.length - wide) / CHARACTERS_PER_TOKEN + wide * TOKENS_PER_WIDE);
};

/** Estimates the model tokens that skills add to a prompt. */
export const aboutSkillTokens = (skills: readonly SkillFacts[]): number =>
  skills.reduce(
    (sum, { name, description = '' }) =>
      sum + aboutTokens(name + description) + AROUND_SKILL / CHARACTERS_PER_TOKEN,
    0,
  );

/** Formats a number of model tokens for a message: "an estimated 1,200 tokens". */
export const aboutShown = (tokens: number): string => {
  const step = tokens < 1_000 ? 10 : 100;
  return `an estimated ${(Math.ceil(tokens / step) * step).toLocaleString('en-US')} tokens`;
};
