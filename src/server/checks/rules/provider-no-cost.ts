import { counted, quoted } from '../../platform/words.ts';
import { memberOf, nodeAt, rangeOf } from '../json-document.ts';
import { providersIn } from '../pi-schemas.ts';
import { agentRule } from '../rule.ts';

const LOCAL = /^https?:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1\]|10\.|192\.168\.|[^/:]+\.local\b)/i;

const lastPart = (id: string) => id.slice(id.lastIndexOf('/') + 1).toLowerCase();

export const providerNoCost = agentRule({
  id: 'provider-no-cost',
  severity: 'hint',
  topic: 'files',
  title: 'A provider whose models have no cost',
  why: 'pi records 0 as the price of a call if a model in models.json has no "cost". dot-mi then estimates it with the price list, if the model is there. Models on this computer or in its network are left alone.',
  *check({ json, facts }) {
    const document = json('models.json');
    const providers = nodeAt(document?.root, ['providers']);
    const priced = new Set((facts.pricedModels ?? []).map(lastPart));
    for (const [name, { baseUrl = '', models = [] }] of providersIn(document?.value)) {
      if (LOCAL.test(baseUrl)) continue;
      const missing = models.filter(({ id, cost }) => !cost && !priced.has(lastPart(id)));
      if (missing.length === 0) continue;
      const member = memberOf(providers, name);
      if (!member) continue;
      yield {
        file: 'models.json',
        ...rangeOf(member.name),
        message: `${counted(missing.length, 'model')} of ${quoted(name)} ${
          missing.length === 1 ? 'has' : 'have'
        } no "cost", so what they cost stays unknown. Add it there, or to the price list.`,
      };
    }
  },
});
