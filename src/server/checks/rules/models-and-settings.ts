import { priceNames, thinkingIn } from '../../../pi/agent-model.ts';
import { usedThinkingLevel } from '../../../pi/flags.ts';
import { APIS } from '../../../pi/providers.ts';
import { findPrice, NO_TYPED_PRICES, typedPricesIn } from '../../../pi/typed-prices.ts';
import type { TextRange } from '../../../shared/checked-text.ts';
import { memberOf, nodeAt, rangeOf } from '../../../shared/json-document.ts';
import { jsonProblems } from '../../platform/json-problems.ts';
import { nearestName } from '../../platform/nearest-name.ts';
import { modelsSchema, providersIn, settingsSchema } from '../../platform/pi-schemas.ts';
import { counted, quoted } from '../../platform/words.ts';
import { agentMdModel } from '../agent-md.ts';
import type { AgentContext } from '../context.ts';
import {
  customProviderOf,
  isBuiltIn,
  isPriced,
  isPricedAtProvider,
  knownModels,
  type ModelReference,
  modelReferences,
} from '../models.ts';
import { flagUses, lastUse, rangeOfArg, registered } from '../pi-args-of-agent.ts';
import { agentRule, type Rule } from '../rule.ts';

const modelUnknown = agentRule({
  id: 'model-unknown',
  severity: 'warning',
  topic: 'files',
  title: 'Model or provider is unknown',
  why: 'If pi doesn’t know the model in settings.json or AGENT.md, it starts with another one. If it doesn’t know the provider in pi-args, it exits. dot-mi knows pi’s own providers, and those in the agent’s models.json and extensions and in dot-mi’s models file. If an agent loads code that dot-mi can’t read, this check reports only misspelled providers.',
  *check(context) {
    const known = knownModels(context);
    for (const reference of modelReferences(context, known)) {
      const { provider, name: id, file, start, end } = reference;
      if (provider === undefined || customProviderOf(known, reference)) continue;
      const name = provider.toLowerCase();
      const custom = known.custom.get(name);
      // A provider without models of its own modifies one of pi's, which may have this model.
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
      } else if (!known.providers.has(name) && !isPricedAtProvider(known, reference)) {
        const near = nearestName(provider, known.providers);
        if (!near && !known.hasAllProviders) continue;
        const place = reference.providerPlace ?? { start, end };
        yield {
          file,
          ...place,
          message: `Neither pi nor models.json has a provider ${quoted(provider)}. ${
            near ? `Did you mean ${quoted(near)}?` : 'Add it to models.json, or choose another model.'
          }`,
          ...(near && reference.providerPlace
            ? { fix: { title: `Change it to "${near}"`, safe: false, edits: [{ ...place, text: near }] } }
            : {}),
        };
      }
    }
  },
});

const modelNoPrice = agentRule({
  id: 'model-no-price',
  severity: 'hint',
  topic: 'files',
  title: 'Model has no known price',
  why: 'Without a price in dot-mi’s models file or in models.json, dot-mi can’t say what a call costs. Check the spelling, or add the price under Pricing.',
  *check(context) {
    const known = knownModels(context);
    if (!known.priced) return;
    const typed = typedPricesIn(providersIn(context.json('models.json')?.value));
    for (const reference of modelReferences(context, known)) {
      // The rule about models.json covers the models there.
      if (customProviderOf(known, reference) || isPriced(known, reference)) continue;
      const { provider: written, name: id } = reference;
      const model = written === undefined ? { id } : { provider: written, id };
      if (findPrice(model, NO_TYPED_PRICES, typed)) continue;
      const provider = written?.toLowerCase();
      // The rule about unknown models covers models of other providers.
      if (provider !== undefined && !isBuiltIn(provider)) continue;
      const { file, start, end, text } = reference;
      yield {
        file,
        start,
        end,
        message: `dot-mi’s models file has no model ${quoted(text)}, so dot-mi can’t say what a call costs. Check the name, or add the price.`,
      };
    }
  },
});

const modelThinkingLevel = agentRule({
  id: 'model-thinking-level',
  severity: 'warning',
  topic: 'files',
  title: 'Model refuses this thinking level',
  why: 'Some models of OpenAI, such as GPT-6.2, always think. For them, pi replaces the thinking levels "off" and "minimal" with "low". Calls then take longer and cost more than you chose.',
  *check(context) {
    const known = knownModels(context);
    // The first of these is the model that pi starts with.
    const [reference] = modelReferences(context, known);
    if (!reference || customProviderOf(known, reference)) return;
    const level = chosenLevel(context, reference);
    if (!level) return;
    const used = usedThinkingLevel({ provider: reference.provider, id: reference.name }, level.text);
    if (used === undefined) return;
    const { text, ...place } = level;
    yield {
      ...place,
      message: `${quoted(reference.name)} refuses the thinking level ${quoted(text)}, so pi uses ${quoted(used)}. Choose ${quoted(used)} or a higher one, or another model.`,
      fix: {
        title: `Change it to "${used}"`,
        safe: false,
        edits: [{ start: place.start, end: place.end, text: used }],
      },
    };
  },
});

/**
 * Returns the thinking level that an agent starts with, and its place. As in pi: --thinking, then the end of the model in
 * pi-args, then the model's level in settings.json, then the default one.
 */
const chosenLevel = (context: AgentContext, { file, text, end, provider, name }: ModelReference) => {
  const arg = lastUse(context, '--thinking')?.value;
  if (arg) return { file: 'pi-args', text: arg.text, ...rangeOfArg(arg) } as const;
  const own = file === 'pi-args' ? thinkingIn(text).slice(1) : '';
  if (own !== '') return { file, text: own, start: end - own.length, end };
  const root = context.json('settings.json')?.root;
  const ofModel = memberOf(nodeAt(root, ['modelThinkingLevels']), `${provider}/${name}`);
  const node = (ofModel ?? memberOf(root, 'defaultThinkingLevel'))?.value;
  if (node?.type !== 'String') return undefined;
  // The range includes the quotes.
  const { start, end: closing } = rangeOf(node);
  return { file: 'settings.json', text: node.value, start: start + 1, end: closing - 1 } as const;
};

const AZURE_BEFORE = 'azure-openai-responses';
const AZURE_NOW = 'azure';

interface OldName extends TextRange {
  readonly file: 'pi-args' | 'AGENT.md' | 'settings.json' | 'models.json';
}

/** Returns whether a value begins with the old name, such as `azure-openai-responses/gpt-5.4`. */
const beginsWithOldName = (text: string): boolean =>
  text === AZURE_BEFORE || text.startsWith(`${AZURE_BEFORE}/`);

const oldNameAt = (file: OldName['file'], start: number): OldName => ({
  file,
  start,
  end: start + AZURE_BEFORE.length,
});

function* oldNames(context: AgentContext): Generator<OldName> {
  for (const flag of ['--provider', '--model', '--models']) {
    for (const { value } of flagUses(context, flag)) {
      if (value && beginsWithOldName(value.text)) yield oldNameAt('pi-args', rangeOfArg(value).start);
    }
  }
  const model = agentMdModel(context);
  const agentMd = context.text('AGENT.md')?.text;
  if (model && agentMd && beginsWithOldName(model.value))
    yield oldNameAt('AGENT.md', agentMd.indexOf(AZURE_BEFORE, model.place.start));
  const settings = context.json('settings.json');
  const names = [
    memberOf(settings?.root, 'defaultProvider')?.value,
    ...elementsOf(nodeAt(settings?.root, ['enabledModels'])),
    ...keysOf(nodeAt(settings?.root, ['modelThinkingLevels'])),
  ];
  for (const node of names) {
    // The range includes the quotes.
    if (node?.type === 'String' && beginsWithOldName(node.value))
      yield oldNameAt('settings.json', rangeOf(node).start + 1);
  }
  for (const node of keysOf(nodeAt(context.json('models.json')?.root, ['providers']))) {
    if (node.type === 'String' && node.value === AZURE_BEFORE)
      yield oldNameAt('models.json', rangeOf(node).start + 1);
  }
}

type Node = NonNullable<ReturnType<typeof nodeAt>>;

const elementsOf = (node: Node | undefined): Node[] =>
  node?.type === 'Array' ? node.elements.map(({ value }) => value) : [];

const keysOf = (node: Node | undefined): Node[] =>
  node?.type === 'Object' ? node.members.map(({ name }) => name) : [];

const providerRenamed = agentRule({
  id: 'provider-renamed',
  severity: 'warning',
  topic: 'files',
  title: 'pi renamed this provider',
  why: 'pi 1.0.3 renamed the provider "azure-openai-responses" to "azure". Since then, pi ignores the old name and starts with another model. Older versions don’t know the new name, so keep the old name until you update pi. Then change it to "azure" here. Also log in to the provider again, or change the name in auth.json.',
  *check(context) {
    for (const place of oldNames(context)) {
      yield {
        ...place,
        message: `pi 1.0.3 and later call this provider "${AZURE_NOW}". Change the name, and log in to the provider again.`,
        fix: { title: `Change it to "${AZURE_NOW}"`, safe: false, edits: [{ ...place, text: AZURE_NOW }] },
      };
    }
  },
});

const settingsJsonSyntax = agentRule({
  id: 'settings-json-syntax',
  severity: 'error',
  topic: 'files',
  title: 'settings.json isn’t valid JSON',
  why: 'If pi can’t parse settings.json, it ignores the whole file. Unlike models.json, the file can’t have comments or trailing commas.',
  *check({ json, text }) {
    const error = json('settings.json')?.error;
    // pi treats an empty file as missing.
    if (!error || text('settings.json')?.text === '') return;
    yield {
      file: 'settings.json',
      ...error,
      message: 'settings.json has a JSON syntax error here, so pi ignores the whole file. Correct it.',
    };
  },
});

const settingsJsonValue = agentRule({
  id: 'settings-json-value',
  severity: 'warning',
  topic: 'files',
  title: 'Setting has an invalid value',
  why: 'pi doesn’t check the values in settings.json. It ignores an invalid value, or fails when it uses the value. This check uses the schema of pi 1.6.0, and ignores keys that the schema doesn’t have.',
  *check({ json }) {
    const document = json('settings.json');
    if (!document) return;
    for (const problem of jsonProblems(document, settingsSchema()))
      yield { file: 'settings.json', ...problem };
  },
});

const modelsJsonSyntax = agentRule({
  id: 'models-json-syntax',
  severity: 'error',
  topic: 'files',
  title: 'models.json isn’t valid JSON',
  why: 'If pi can’t parse models.json, it ignores all providers in it. Trailing commas and // comments are fine.',
  *check({ json }) {
    const error = json('models.json')?.error;
    if (!error) return;
    yield {
      file: 'models.json',
      ...error,
      message: 'models.json has a JSON syntax error here, so pi ignores the whole file. Correct it.',
    };
  },
});

const modelsJsonValue = agentRule({
  id: 'models-json-value',
  severity: 'error',
  topic: 'files',
  title: 'models.json has an invalid value',
  why: 'If one value in models.json is missing or invalid, pi ignores the whole file. This check uses the schema of pi 1.6.0, and ignores keys that the schema doesn’t have.',
  *check({ json }) {
    const document = json('models.json');
    if (!document) return;
    for (const { message, ...place } of jsonProblems(document, modelsSchema())) {
      yield {
        file: 'models.json',
        ...place,
        message: `${message} pi ignores models.json until this is fixed.`,
      };
    }
  },
});

/** Yields the APIs in a models.json: those of providers and of single models. */
function* apisIn(context: AgentContext): Generator<TextRange & { readonly name: string }> {
  const document = context.json('models.json');
  for (const [provider] of providersIn(document?.value)) {
    const node = nodeAt(document?.root, ['providers', provider]);
    for (const owner of [node, ...elementsOf(nodeAt(node, ['models']))]) {
      const api = memberOf(owner, 'api')?.value;
      if (api?.type === 'String') yield { name: api.value, ...rangeOf(api) };
    }
  }
}

const modelsJsonApi = agentRule({
  id: 'models-json-api',
  severity: 'error',
  topic: 'files',
  title: 'pi doesn’t know this API',
  why: 'pi accepts any "api" in models.json, but each call fails if pi doesn’t know it. An extension that registers a provider can add its own API. If an agent has such an extension, this check reports only misspellings.',
  *check(context) {
    const added = registered(context, 'providers');
    for (const { name, start, end } of apisIn(context)) {
      if (APIS.has(name)) continue;
      const near = nearestName(name, APIS);
      if (!near && (added.names.size > 0 || !added.isComplete)) continue;
      yield {
        file: 'models.json',
        start,
        end,
        message: `pi has no API ${quoted(name)}, so each call fails. ${
          near ? `Did you mean "${near}"?` : 'Use one that it has, such as "openai-completions".'
        }`,
        ...(near
          ? {
              fix: {
                title: `Change it to "${near}"`,
                safe: false,
                edits: [{ start: start + 1, end: end - 1, text: near }],
              },
            }
          : {}),
      };
    }
  },
});

/** An environment variable name, as people write them for keys. */
const ENV_NAME = /^[A-Z][A-Z0-9]*_[A-Z0-9_]*(?:KEY|TOKEN|SECRET)$/;

const modelsJsonEnvName = agentRule({
  id: 'models-json-env-name',
  severity: 'hint',
  topic: 'files',
  title: 'Environment variable has no "$"',
  why: 'Before version 0.77, pi read "MY_API_KEY" as the name of an environment variable. Newer versions send this text as the key, and need "$MY_API_KEY". Older versions don’t support "$", so add it only when you update pi.',
  *check({ json }) {
    const document = json('models.json');
    for (const [name, { apiKey }] of providersIn(document?.value)) {
      if (apiKey === undefined || !ENV_NAME.test(apiKey)) continue;
      const member = memberOf(nodeAt(document?.root, ['providers', name]), 'apiKey');
      if (!member) continue;
      const { start, end } = rangeOf(member.value);
      yield {
        file: 'models.json',
        start,
        end,
        message: `pi 0.77 and later send "${apiKey}" itself as the key. For these versions, write "$${apiKey}".`,
      };
    }
  },
});

const LOCAL_ADDRESS = /^https?:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1\]|10\.|192\.168\.|[^/:]+\.local\b)/i;

const providerNoCost = agentRule({
  id: 'provider-no-cost',
  severity: 'hint',
  topic: 'files',
  title: 'Models of this provider don’t set "cost"',
  why: 'If a model in models.json has no "cost", pi records each call as free. dot-mi then estimates the cost, but only if its own models file has the model. A "cost" in models.json counts for this agent alone: in pi’s sums, and in dot-mi’s estimates, budgets and prices for customers. A price in dot-mi’s models file counts for all agents, and wins if both have one. This check skips models on this computer or its network.',
  *check({ json, facts }) {
    const document = json('models.json');
    const providers = nodeAt(document?.root, ['providers']);
    const priced = new Set((facts.pricedModels ?? []).map((name) => name.toLowerCase()));
    for (const [name, { baseUrl = '', models = [] }] of providersIn(document?.value)) {
      if (LOCAL_ADDRESS.test(baseUrl)) continue;
      const missing = models.filter(
        ({ id, cost }) =>
          !cost &&
          !priceNames({ provider: name.toLowerCase(), id: id.toLowerCase() }).some((one) => priced.has(one)),
      );
      if (missing.length === 0) continue;
      const member = memberOf(providers, name);
      if (!member) continue;
      yield {
        file: 'models.json',
        ...rangeOf(member.name),
        message: `${counted(missing.length, 'model')} of ${quoted(name)} ${
          missing.length === 1 ? 'has' : 'have'
        } no "cost", so pi records each call as free. Add "cost" here for this agent, or the price to dot-mi’s models file for all agents.`,
      };
    }
  },
});

/** Rules about models and pi's settings. */
export const modelAndSettingsRules: readonly Rule[] = [
  modelUnknown,
  modelNoPrice,
  modelThinkingLevel,
  providerRenamed,
  settingsJsonSyntax,
  settingsJsonValue,
  modelsJsonSyntax,
  modelsJsonValue,
  modelsJsonApi,
  modelsJsonEnvName,
  providerNoCost,
];
