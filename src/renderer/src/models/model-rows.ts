import { parseModelName, priceNames } from '../../../pi/agent-model.ts';
import { isModelArgument } from '../../../pi/model-in-pi-args.ts';
import { makerOf, withMakersProvider } from '../../../pi/model-maker.ts';
import type { CostAmount } from '../../../shared/api/cost.ts';
import { formatSats, formatUsd } from '../money/format-price.ts';
import { models as words } from '../strings/models.ts';
import { matcher } from '../ui/matches.ts';

/** A model that can be selected. */
export interface ModelChoice {
  readonly name: string;
  /** Null if unknown. */
  readonly price: CostAmount | null;
}

/** Returns the choice for a model name. As for a call's cost, the full name wins over shorter ones. */
export const choiceOf = (choices: readonly ModelChoice[], name: string): ModelChoice | undefined => {
  const byName = new Map(choices.map((choice) => [choice.name, choice]));
  return priceNames(parseModelName(name))
    .map((one) => byName.get(one))
    .find((choice) => choice !== undefined);
};

/** Formats a price in sats, or in USD if there's no BTC price. */
export const priceText = (price: CostAmount | null): string =>
  !price ? words.noPrice : price.sats === null ? formatUsd(price.usd) : words.sats(formatSats(price.sats));

/** A list row: a model, or the heading above some models. */
export type ModelRow =
  | { readonly kind: 'heading'; readonly title: string }
  | {
      /** `typed` means a name that was typed and isn't in the list. */
      readonly kind: 'model' | 'typed';
      readonly choice: ModelChoice;
      /** The name that pi gets. */
      readonly picks: string;
    };

/** The data that the rows are made from. */
interface ListedModels {
  readonly choices: readonly ModelChoice[];
  readonly query: string;
  readonly favorites: ReadonlySet<string>;
  /** The model in use. It's first if it isn't in the list. */
  readonly current: string | undefined;
}

// Sorts gpt-5.9 before gpt-5.10.
const names = new Intl.Collator('en', { numeric: true });

const makerName = (name: string): string => makerOf(name) ?? words.others;

/**
 * Returns the models that match the query: favorites first, then by maker. Omits names that pi-args can't contain.
 */
export const modelRows = ({ choices, query, favorites, current }: ListedModels): readonly ModelRow[] => {
  const matches = matcher(query);
  const isListed = choices.some(({ name }) => name === current);
  const all = current === undefined || isListed ? choices : [{ name: current, price: null }, ...choices];
  const found = all
    .filter(({ name }) => isModelArgument(name) && matches(withMakersProvider(name), makerName(name)))
    .sort((a, b) => names.compare(a.name, b.name));
  const groups = Map.groupBy(found, ({ name }) => {
    if (name === current && !isListed) return '';
    return favorites.has(name) ? words.favorites : makerName(name);
  });
  const rank = (title: string): number =>
    ['', words.favorites].includes(title) ? 0 : title === words.others ? 2 : 1;
  const rows = [...groups]
    .sort(([a], [b]) => rank(a) - rank(b) || names.compare(a, b))
    .flatMap(([title, group]): ModelRow[] => [
      ...(title === '' ? [] : [{ kind: 'heading', title } as const]),
      ...group.map(
        (choice): ModelRow => ({
          kind: 'model',
          choice,
          picks: title === '' ? choice.name : withMakersProvider(choice.name),
        }),
      ),
    ]);
  const typed = query.trim();
  const isFound = ({ name }: ModelChoice): boolean =>
    [name, withMakersProvider(name)].some((one) => one.toLowerCase() === typed.toLowerCase());
  if (!isModelArgument(typed) || all.some(isFound)) return rows;
  return [...rows, { kind: 'typed', choice: { name: typed, price: null }, picks: typed }];
};
