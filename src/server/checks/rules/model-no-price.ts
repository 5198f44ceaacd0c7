import { quoted } from '../../platform/words.ts';
import { customProviderOf, isBuiltIn, isPriced, knownModels, modelReferences } from '../models.ts';
import { agentRule } from '../rule.ts';

export const modelNoPrice = agentRule({
  id: 'model-no-price',
  severity: 'hint',
  topic: 'files',
  title: 'A model without a known price',
  why: "dot-mi can't say what a call costs if the price list does not have the model. It may also be misspelled. Add its price under Pricing.",
  *check(context) {
    const known = knownModels(context);
    if (!known.priced) return;
    for (const reference of modelReferences(context, known)) {
      // The rule about models.json has its models.
      if (customProviderOf(known, reference) || isPriced(known, reference)) continue;
      const provider = reference.provider?.toLowerCase();
      // The rule about unknown models has these.
      if (provider !== undefined && !isBuiltIn(provider)) continue;
      const { file, start, end, text } = reference;
      yield {
        file,
        start,
        end,
        message: `The price list has no model ${quoted(text)}, so dot-mi can't say what it costs. Check the name, or add its price.`,
      };
    }
  },
});
