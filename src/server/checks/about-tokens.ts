import type { SkillFacts } from './snapshot.ts';

/** Model tokens have about four characters in English text. Good for a finding, not for a price. */
const CHARACTERS_PER_TOKEN = 4;
/** The tags around a skill in a prompt, and the path of its SKILL.md, in characters. */
const AROUND_SKILL = 140;

/** About how many model tokens a text has. */
export const aboutTokens = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

/** About how many model tokens skills add to a prompt. */
export const aboutSkillTokens = (skills: readonly SkillFacts[]): number =>
  skills.reduce(
    (sum, { name, description = '' }) =>
      sum + Math.ceil((name.length + description.length + AROUND_SKILL) / CHARACTERS_PER_TOKEN),
    0,
  );

/** A number of model tokens for a message: "about 1,200 tokens". */
export const aboutShown = (tokens: number): string => {
  const step = tokens < 1_000 ? 10 : 100;
  return `about ${(Math.ceil(tokens / step) * step).toLocaleString('en-US')} tokens`;
};
