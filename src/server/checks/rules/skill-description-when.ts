import { skillRule } from '../rule.ts';
import { hasFields, placeOfField } from '../skill-fields.ts';

/** Words that say when to use a skill. */
const WHEN =
  /\b(?:when|whenever|if|use (?:this|it|for|to|in|with|after|before|on)|used? (?:for|to)|useful|asks?|asked|asking|triggers?|before|after|while|during|for \w+ing|to learn)\b/i;
/** The rule knows no other language. */
const ENGLISH = /\b(?:the|a|an|and|of|to|with|from|in|on|using|your|for)\b/i;

export const skillDescriptionWhen = skillRule({
  id: 'skill-description-when',
  severity: 'hint',
  topic: 'skill',
  title: 'A description that does not say when',
  why: 'The model decides by the description alone whether to read a skill. A good one also says when to use it, such as "Use when asked for the price of bitcoin."',
  *check(context) {
    const description = context.frontmatter()?.data.description;
    if (!hasFields(context) || typeof description !== 'string' || description.trim() === '') return;
    if (WHEN.test(description) || !ENGLISH.test(description)) return;
    yield {
      file: 'SKILL.md',
      ...placeOfField(context, 'description'),
      message: 'The description says what the skill does, but not when to use it. Add "Use when …".',
    };
  },
});
