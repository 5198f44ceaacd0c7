import { quoted } from '../../platform/words.ts';
import { aboutShown, aboutSkillTokens, aboutTokens } from '../about-tokens.ts';
import { usableSkills } from '../entries-of-agent.ts';
import { customProviderOf, knownModels, modelReferences } from '../models.ts';
import { lastUse } from '../pi-args-rules.ts';
import { providersIn } from '../pi-schemas.ts';
import { agentRule } from '../rule.ts';

/** Estimates are at most this much too high. */
const MARGIN = 1.2;

export const promptTooLarge = agentRule({
  id: 'prompt-too-large',
  severity: 'error',
  topic: 'files',
  title: 'A prompt that is larger than the context window',
  why: 'The provider refuses a call whose prompt alone is larger than the context window of the model. The window is that of models.json, and 128,000 tokens if it says nothing.',
  *check(context) {
    const known = knownModels(context);
    const [reference] = modelReferences(context, known);
    const custom = reference && customProviderOf(known, reference);
    if (!reference || custom === undefined) return;
    const [, provider] =
      [...providersIn(context.json('models.json')?.value)].find(([name]) => name.toLowerCase() === custom) ??
      [];
    const model = provider?.models?.find(({ id }) => id.toLowerCase() === reference.id);
    if (!model) return;
    const window = model.contextWindow;
    const textOf = (name: 'SYSTEM.md' | 'APPEND_SYSTEM.md') => {
      // All of it: rules see only the beginning of a long file otherwise.
      const file = context.agent.files[name];
      return file.kind === 'text' ? file.text : '';
    };
    const skills = lastUse(context, '--no-skills')
      ? []
      : [...usableSkills(context).map(({ facts }) => facts), ...context.facts.userSkills];
    const tokens =
      aboutTokens(textOf('SYSTEM.md')) + aboutTokens(textOf('APPEND_SYSTEM.md')) + aboutSkillTokens(skills);
    if (tokens <= window * MARGIN) return;
    yield {
      file: 'SYSTEM.md',
      message: `The prompt has ${aboutShown(tokens)}, but ${quoted(model.id)} takes ${window.toLocaleString('en-US')}. Shorten it, or choose another model. The Prompt tab counts the tokens.`,
    };
  },
});
