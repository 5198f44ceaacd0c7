import { useState } from 'react';
import { isModelArgument } from '../../../../pi/model-in-pi-args.ts';
import { type FoundModels as Found, TEST_TOKENS } from '../../../../shared/api/pi-models.ts';
import { formatSats, formatUsd } from '../../money/format-price.ts';
import { piModels } from '../../strings/pi-models.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Failure } from '../../ui/failures.tsx';
import { CheckboxField, SelectField } from '../../ui/field.tsx';
import { matcher } from '../../ui/matches.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { type CallableProvider, isOnThisComputer, knowsModels, testCost } from './provider-presets.ts';
import { useBtcUsd, type useFindModels, useListedPrice, useTestModel } from './use-pi-models.ts';

const words = piModels.find;

type FoundModel = Found['models'][number];

/** The models of a provider that a person chose. */
export interface ModelChoices {
  readonly chosen: readonly FoundModel[];
  /** The id of the agent's new model. Null keeps the old one. */
  readonly used: string | null;
}

/** Nothing is chosen yet. */
export const NOTHING_CHOSEN: ModelChoices = { chosen: [], used: null };

/** More models than this are found only by their name. */
const MOST_SHOWN = 100;
/** From this number on, a list has a search field. */
const SEARCHED = 8;

interface ModelListProps {
  readonly found: Found;
  readonly taken: readonly string[];
  readonly choices: ModelChoices;
  readonly onToggle: (model: FoundModel, isChosen: boolean) => void;
}

/** The models that a provider has, with a checkbox for each. */
const ModelList = ({ found: { models }, taken, choices, onToggle }: ModelListProps) => {
  const [query, setQuery] = useState('');
  const matches = matcher(query);
  const all = models.filter(({ id }) => matches(id));
  const chosen = new Set(choices.chosen.map(({ id }) => id));
  return (
    <div className="flex flex-col gap-2">
      {models.length > SEARCHED && (
        <SearchField label={words.search} value={query} onValueChange={setQuery} />
      )}
      <fieldset
        aria-label={words.list}
        className="flex max-h-56 min-w-0 flex-col gap-1.5 overflow-y-auto rounded-md border border-line p-2.5"
      >
        {all.slice(0, MOST_SHOWN).map((model) => {
          const isTaken = taken.includes(model.id);
          const size = model.contextWindow === undefined ? '' : piModels.window(model.contextWindow);
          return (
            <CheckboxField
              key={model.id}
              label={model.id}
              hint={[size, isTaken ? words.added : ''].filter(Boolean).join(' · ')}
              checked={isTaken || chosen.has(model.id)}
              disabled={isTaken}
              onCheckedChange={(isChosen) => onToggle(model, isChosen)}
            />
          );
        })}
        {all.length === 0 && <p className="text-muted">{words.noMatch}</p>}
        {all.length > MOST_SHOWN && (
          <p className="text-sm text-muted">{words.more(all.length - MOST_SHOWN)}</p>
        )}
      </fieldset>
    </div>
  );
};

interface UsedModelProps {
  readonly agent: string;
  readonly provider: string;
  readonly models: readonly FoundModel[];
  readonly used: string | null;
  readonly onUse: (id: string | null) => void;
}

/** Chooses which of the models the agent uses. */
const UsedModel = ({ agent, provider, models, used, onUse }: UsedModelProps) => {
  const usable = models.filter((model) => isModelArgument(`${provider}/${model.id}`));
  return (
    <SelectField
      label={words.use(agent)}
      value={used ?? ''}
      options={[['', words.keep], ...usable.map(({ id }) => [id, id] as const)]}
      onValueChange={(id) => onUse(id === '' ? null : id)}
    />
  );
};

interface ModelTestProps {
  readonly agent: string;
  readonly provider: string;
  readonly called: CallableProvider;
  readonly model: string;
}

const SECOND_MS = 1_000;

/** Says what a test costs, then sends one short prompt. */
export const ModelTest = ({ agent, provider, called, model }: ModelTestProps) => {
  const test = useTestModel(agent);
  const price = useListedPrice(provider, model);
  const btcUsd = useBtcUsd();
  const texts = piModels.test;
  const costs = (): string => {
    if (isOnThisComputer(called.baseUrl)) return texts.free(model);
    if (!price) return texts.unknown(model, TEST_TOKENS);
    const { usd, sats } = testCost(price, btcUsd);
    return texts.costs(model, formatUsd(usd), sats === null ? null : formatSats(sats));
  };
  const seconds = test.data ? (test.data.durationMs / SECOND_MS).toFixed(1) : '';
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button
          aria-label={texts.testOf(model)}
          disabled={test.isPending}
          onClick={() => test.mutate({ ...called, model })}
        >
          {test.isPending ? texts.testing : texts.test}
        </Button>
        <p className="min-w-48 flex-1 text-sm text-muted wrap-anywhere">{costs()}</p>
      </div>
      {test.data && (
        <Callout
          tone={test.data.text === '' ? 'warn' : 'ok'}
          title={test.data.text === '' ? texts.noText(seconds) : texts.text(seconds, test.data.text)}
          announce="status"
        />
      )}
      {test.error && <Failure message={test.error.message} />}
    </div>
  );
};

interface FoundModelsProps {
  readonly agent: string;
  readonly provider: string;
  /** Undefined if dot-mi can't fetch the models of the API. */
  readonly listed: CallableProvider | undefined;
  readonly tested: CallableProvider | undefined;
  /** The ids of models that models.json has already. */
  readonly taken: readonly string[];
  readonly choices: ModelChoices;
  readonly onChoices: (choices: ModelChoices) => void;
  /** The state of the request, because a preset starts it too. */
  readonly find: ReturnType<typeof useFindModels>;
}

/** Fetches the models of a provider, lets a person choose some, and tests one of them. */
export const FoundModels = ({
  agent,
  provider,
  listed,
  tested,
  taken,
  choices,
  onChoices,
  find,
}: FoundModelsProps) => {
  const { data: found, error, isPending } = find;
  const { chosen, used } = choices;
  const toggle = (model: FoundModel, isChosen: boolean): void => {
    const others = chosen.filter(({ id }) => id !== model.id);
    // pi knows the models of its own providers, so only one is used and none is added.
    const next = isChosen ? [...(knowsModels(provider) ? [] : others), model] : others;
    const isUsed = next.some(({ id }) => id === used);
    onChoices({ chosen: next, used: isUsed ? used : (next[0]?.id ?? null) });
  };
  const isTestable = found?.models.find(({ id }) => id === (used ?? chosen[0]?.id));
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button disabled={!listed || isPending} onClick={() => listed && find.mutate(listed)}>
          {isPending ? words.fetching : found ? words.fetchAgain : words.fetch}
        </Button>
        <p role="status" className="text-sm text-muted">
          {found && found.models.length > 0
            ? `${words.found(found.models.length)}.${words.leftOut(found.leftOut)}`
            : found
              ? words.none
              : ''}
        </p>
      </div>
      {error && <Failure message={error.message} />}
      {found && found.models.length > 0 && (
        <ModelList found={found} taken={taken} choices={choices} onToggle={toggle} />
      )}
      {found && (chosen.length > 0 || used !== null) && (
        <UsedModel
          agent={agent}
          provider={provider}
          models={chosen}
          used={used}
          onUse={(next) => onChoices({ chosen, used: next })}
        />
      )}
      {isTestable && tested && (
        <ModelTest
          key={`${tested.baseUrl} ${isTestable.id}`}
          agent={agent}
          provider={provider}
          called={tested}
          model={isTestable.id}
        />
      )}
    </div>
  );
};
