import { nearestName } from '../../platform/nearest-name.ts';
import { quoted } from '../../platform/words.ts';
import { customProviderOf, isBuiltIn, isPriced, knownModels, modelReferences } from '../models.ts';
import { agentRule } from '../rule.ts';

export const modelUnknown = agentRule({
  id: 'model-unknown',
  severity: 'warning',
  topic: 'files',
  title: 'A model or provider that nothing knows',
  why: 'If pi does not know the model in settings.json or AGENT.md, it starts with another one. It stops at an unknown provider in pi-args. models.json, the extensions of the agent, the price list and the providers of pi itself are searched.',
  *check(context) {
    const known = knownModels(context);
    for (const reference of modelReferences(context, known)) {
      const { provider, name: id, file, start, end } = reference;
      if (provider === undefined || customProviderOf(known, reference)) continue;
      const name = provider.toLowerCase();
      const custom = known.custom.get(name);
      // Without models of its own, it changes a provider of pi, which may have the model.
      if (custom && custom.ids.length > 0 && !isBuiltIn(name)) {
        const near = nearestName(id, new Set(custom.ids));
        yield {
          file,
          start,
          end,
          message: `${quoted(provider)} in models.json has no model ${quoted(id)}. ${
            near ? `Did you mean ${quoted(near)}?` : 'Add it there, or choose another model.'
          }`,
        };
      } else if (!known.providers.has(name) && known.hasAllProviders && !isPriced(known, reference)) {
        yield {
          file,
          start,
          end,
          message: `Neither pi nor models.json has a provider ${quoted(provider)}. Add it to models.json, or choose another model.`,
        };
      }
    }
  },
});
