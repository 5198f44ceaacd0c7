import { priceNames } from '../../pi/agent-model.ts';
import { THINKING_LEVELS } from '../../pi/flags.ts';
import { BUILT_IN_PROVIDERS } from '../../pi/providers.ts';
import type { TextRange } from '../../shared/checked-text.ts';
import { memberOf, rangeOf } from '../../shared/json-document.ts';
import { providersIn } from '../platform/pi-schemas.ts';
import { agentMdModel } from './agent-md.ts';
import type { AgentContext } from './context.ts';
import { hasQuotes, lastUse, rangeOfArg, registered } from './pi-args-of-agent.ts';

/** A model named in one of an agent's files. */
export interface ModelReference extends TextRange {
  readonly file: 'pi-args' | 'AGENT.md' | 'settings.json';
  /** As written. */
  readonly text: string;
  readonly provider: string | undefined;
  /** The place of the provider's name in the file. */
  readonly providerPlace: TextRange | undefined;
  /** Without provider and thinking level. */
  readonly name: string;
  /** The name in lowercase. */
  readonly id: string;
  /** True if pi also accepts part of a model's id or name. */
  readonly isPattern: boolean;
}

const THINKING = new RegExp(`:(?:${THINKING_LEVELS.join('|')})$`);

interface Named {
  readonly text: string;
  readonly place: TextRange;
}

const toReference = (
  place: Pick<ModelReference, 'file' | 'start' | 'end' | 'isPattern'>,
  text: string,
  named: Named | undefined,
  providers: ReadonlySet<string>,
): ModelReference => {
  const provider = named?.text;
  const name = text.replace(THINKING, '');
  const slash = name.indexOf('/');
  const before = slash > 0 ? name.slice(0, slash) : undefined;
  // Many model ids contain slashes, so only a known name counts as the provider.
  const isProvider = before !== undefined && provider === undefined && providers.has(before.toLowerCase());
  const model = isProvider ? name.slice(slash + 1) : name;
  return {
    ...place,
    text,
    provider: provider ?? (isProvider ? before : undefined),
    providerPlace: named?.place,
    name: model,
    id: model.toLowerCase(),
  };
};

/** Known models of an agent. */
interface KnownModels {
  /** The providers in models.json, with the ids and names of their models. */
  readonly custom: ReadonlyMap<
    string,
    { readonly ids: readonly string[]; readonly texts: readonly string[] }
  >;
  /** Provider names in lowercase. */
  readonly providers: ReadonlySet<string>;
  readonly hasAllProviders: boolean;
  /** In lowercase. Undefined if the price list can't be read. */
  readonly priced: readonly string[] | undefined;
}

/** Collects the models in an agent's files and the price list. */
export const knownModels = (context: AgentContext): KnownModels => {
  const file = context.agent.files['models.json'];
  const document = context.json('models.json');
  const custom = new Map(
    Array.from(providersIn(document?.value), ([name, { models = [] }]) => [
      name.toLowerCase(),
      {
        ids: models.map(({ id }) => id),
        texts: models.flatMap(({ id, name: title }) => [
          id.toLowerCase(),
          ...(title ? [title.toLowerCase()] : []),
        ]),
      },
    ]),
  );
  const added = registered(context, 'providers');
  return {
    custom,
    providers: new Set(
      [...custom.keys(), ...added.names, ...BUILT_IN_PROVIDERS].map((name) => name.toLowerCase()),
    ),
    // Another rule reports an unreadable models.json.
    hasAllProviders: added.isComplete && (file.kind === 'missing' || custom.size > 0),
    priced: context.facts.pricedModels?.map((name) => name.toLowerCase()),
  };
};

const withoutQuotes = ({ start, end }: TextRange): TextRange => ({ start: start + 1, end: end - 1 });

/** Returns the models named in an agent's files: pi-args, AGENT.md and settings.json. */
export const modelReferences = (context: AgentContext, { providers }: KnownModels): ModelReference[] => {
  const references: ModelReference[] = [];
  const arg = lastUse(context, '--model')?.value;
  const named = lastUse(context, '--provider')?.value;
  // Another rule covers quotes.
  if (arg && !arg.text.startsWith('-') && !hasQuotes(arg.text) && !hasQuotes(named?.text ?? '')) {
    const provider = named && { text: named.text, place: rangeOfArg(named) };
    const place = { file: 'pi-args', isPattern: true, ...rangeOfArg(arg) } as const;
    references.push(toReference(place, arg.text, provider, providers));
  }
  const wanted = agentMdModel(context);
  if (wanted) {
    const slash = wanted.value.indexOf('/');
    const place = { file: 'AGENT.md', isPattern: false, ...wanted.place } as const;
    if (slash > 0) {
      const text = wanted.value.slice(0, slash);
      const start = context.text('AGENT.md')?.text.indexOf(text, wanted.place.start) ?? wanted.place.start;
      const provider = { text, place: { start, end: start + text.length } };
      references.push(toReference(place, wanted.value.slice(slash + 1), provider, providers));
    }
  }
  const settings = context.json('settings.json');
  const { defaultModel, defaultProvider } = (settings?.value ?? {}) as Record<string, unknown>;
  const member = memberOf(settings?.root, 'defaultModel');
  if (member && typeof defaultModel === 'string') {
    const named = memberOf(settings?.root, 'defaultProvider')?.value;
    const provider =
      named && typeof defaultProvider === 'string'
        ? { text: defaultProvider, place: withoutQuotes(rangeOf(named)) }
        : undefined;
    const place = { file: 'settings.json', isPattern: false, ...rangeOf(member.value) } as const;
    references.push(toReference(place, defaultModel, provider, providers));
  }
  return references;
};

const isIn = (texts: readonly string[], { id, isPattern }: ModelReference): boolean =>
  texts.some((text) => text === id || (isPattern && text.includes(id)));

/** Returns the models.json provider of a model. */
export const customProviderOf = (known: KnownModels, reference: ModelReference): string | undefined =>
  [...known.custom].find(
    ([name, { texts }]) =>
      (reference.provider === undefined || reference.provider.toLowerCase() === name) &&
      isIn(texts, reference),
  )?.[0];

/** Returns whether the models file has a price that cost estimates use for a model. */
export const isPriced = (
  { priced = [] }: KnownModels,
  { provider, id, isPattern }: ModelReference,
): boolean => {
  const prefix = provider && `${provider.toLowerCase()}/`;
  const names = new Set(priceNames({ ...(provider ? { provider: provider.toLowerCase() } : {}), id }));
  const last = id.slice(id.lastIndexOf('/') + 1);
  return priced.some((name) => {
    // Without a provider, pi finds the model at the provider that has it.
    if (names.has(name) || (!prefix && name.endsWith(`/${id}`))) return true;
    if (!isPattern) return false;
    const isOfProvider = !prefix || name.startsWith(prefix) || !name.includes('/');
    return isOfProvider && name.slice(name.lastIndexOf('/') + 1).includes(last);
  });
};

/** Returns whether the models file names a model together with its provider. */
export const isPricedAtProvider = ({ priced = [] }: KnownModels, { provider, id }: ModelReference): boolean =>
  provider !== undefined && priced.includes(`${provider.toLowerCase()}/${id}`);

/** Returns whether a provider is built into pi. */
export const isBuiltIn = (provider: string): boolean => BUILT_IN_PROVIDERS.has(provider.toLowerCase());
