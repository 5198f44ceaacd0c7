import type { CostAmount } from '../../../shared/api/cost.ts';
import { parseModelName, priceNames } from '../../../shared/pi/agent-model.ts';
import { isModelArgument } from '../../../shared/pi/model-in-pi-args.ts';
import { makerOf, withMakersProvider } from '../../../shared/pi/model-maker.ts';
import { formatSats, formatUsd } from '../format-price.ts';
import { models as words } from '../strings/models.ts';
import { matcher } from '../ui/matches.ts';

/** A model that can be chosen. */
export interface ModelChoice {
  readonly name: string;
  /** Null if it isn't known. */
  readonly price: CostAmount | null;
}

/** The choice that a model is in the list. As in the cost of a call, its full name counts before the shorter ones. */
export const choiceOf = (choices: readonly ModelChoice[], name: string): ModelChoice | undefined => {
  const byName = new Map(choices.map((choice) => [choice.name, choice]));
  return priceNames(parseModelName(name))
    .map((one) => byName.get(one))
    .find((choice) => choice !== undefined);
};

/** A price in sats, or in USD without a BTC price. */
export const priceText = (price: CostAmount | null): string =>
  !price ? words.noPrice : price.sats === null ? formatUsd(price.usd) : words.sats(formatSats(price.sats));

/** A row of the list: a model, or the heading of those below it. */
export type ModelRow =
  | { readonly kind: 'heading'; readonly title: string }
  | {
      /** `typed`: a name that was typed and isn't in the list. */
      readonly kind: 'model' | 'typed';
      readonly choice: ModelChoice;
      /** The name that pi gets. */
      readonly picks: string;
    };

/** What the rows depend on. */
interface ListedModels {
  readonly choices: readonly ModelChoice[];
  readonly query: string;
  readonly favorites: ReadonlySet<string>;
  /** The model in use. It is first if the list doesn't have it. */
  readonly current: string | undefined;
}

// gpt-5.9 comes before gpt-5.10.
const names = new Intl.Collator('en', { numeric: true });

const makerName = (name: string): string => makerOf(name) ?? words.others;

/** The models that match the query: favorites first, then by who makes them. Names that pi-args can't hold are left out. */
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
