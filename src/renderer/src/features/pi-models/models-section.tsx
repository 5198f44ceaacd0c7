import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { isModelArgument } from '../../../../pi/model-in-pi-args.ts';
import type { AgentSummary } from '../../../../shared/api/agents.ts';
import type { ShownValue } from '../../../../shared/api/form-files.ts';
import type { JsonFile } from '../../../../shared/api/json-files.ts';
import type { AgentModels, PiModel, PiModelOverride, PiProvider } from '../../../../shared/api/pi-models.ts';
import { satsPerMillion } from '../../../../shared/sats.ts';
import { FileActions } from '../../agent/file-actions.tsx';
import { EntryDialog } from '../../json-form/entry-dialog.tsx';
import type { EntryKind } from '../../json-form/entry-kind.ts';
import { useJsonFile } from '../../json-form/use-json-file.ts';
import { SignInGuide } from '../../models/sign-in-guide.tsx';
import { useSetModel } from '../../models/use-set-model.ts';
import { formatSats, formatUsd } from '../../money/format-price.ts';
import { piModels as words } from '../../strings/pi-models.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { cx } from '../../ui/cx.ts';
import { PriceArt } from '../../ui/empty-art.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Problem } from '../../ui/failures.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { AddProviderDialog } from './add-provider-dialog.tsx';
import { modelKind, overrideKind, PROVIDER, removalOf } from './entry-kinds.ts';
import { calledFor, FetchModelsDialog, TestModelDialog } from './fetch-models-dialog.tsx';
import { knowsModels } from './provider-presets.ts';
import { useBtcUsd, useNamedModel, usePiModels, useReadiness, useRemoveEntry } from './use-pi-models.ts';

const textOf = (value: ShownValue): string =>
  typeof value === 'string' ? value : [value.shown ?? '', words.hidden].filter(Boolean).join('/');

/** Returns where the key comes from. For a built-in provider, pi may have another key. */
const keyText = ({ apiKey, isBuiltIn }: PiProvider): string => {
  if (apiKey === undefined) return isBuiltIn ? '' : words.key.none;
  return typeof apiKey === 'string' ? words.key.variable(apiKey) : words.key[apiKey.hidden];
};

/** Returns the known facts about a model, in one line. */
const factsOf = ({ contextWindow, maxTokens, reasoning, input }: PiModel | PiModelOverride): string =>
  [
    ...(contextWindow === undefined ? [] : [words.window(contextWindow)]),
    ...(maxTokens === undefined ? [] : [words.most(maxTokens)]),
    ...(reasoning ? [words.thinks] : []),
    ...(input?.includes('image') ? [words.images] : []),
  ].join(' · ');

const PriceCell = ({ cost, btcUsd }: { readonly cost: PiModel['cost']; readonly btcUsd: number | null }) => {
  if (cost?.input === undefined && cost?.output === undefined)
    return <span className="text-muted">{words.noCost}</span>;
  const both = (format: (usd: number) => string): [string, string] => [
    format(cost.input ?? 0),
    format(cost.output ?? 0),
  ];
  return (
    <span data-details={cost.hasTiers ? words.tiers : undefined} className="flex flex-col text-right">
      <span>{words.usd(...both(formatUsd))}</span>
      {btcUsd !== null && (
        <span className="text-muted">
          {words.sats(...both((usd) => formatSats(satsPerMillion(usd, btcUsd))))}
        </span>
      )}
    </span>
  );
};

interface ModelRowProps {
  readonly model: PiModel | PiModelOverride;
  readonly isOverride: boolean;
  readonly btcUsd: number | null;
  readonly isUsed: boolean;
  /** Undefined if pi can't use the model. */
  readonly onUse: (() => void) | undefined;
  /** Undefined if dot-mi can't call the model. */
  readonly onTest: (() => void) | undefined;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

const ModelRow = ({ model, isOverride, isUsed, btcUsd, onUse, onTest, onEdit, onRemove }: ModelRowProps) => {
  const { id, name, problem, accepted, otherKeys } = model;
  const facts = factsOf(model);
  const label = id === '' ? words.unnamed : id;
  return (
    <li
      data-details-row
      className="flex flex-wrap items-start gap-x-3 gap-y-2 py-2 pr-6 pl-10 max-icons:pr-4 max-icons:pl-6"
    >
      <div className="flex min-w-40 flex-1 flex-col gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2">
          <span className={cx('font-mono wrap-anywhere', !accepted && 'text-muted')}>{label}</span>
          {isOverride && <Badge>{words.override}</Badge>}
          {isUsed && <Badge tone="ok">{words.used}</Badge>}
        </span>
        {name !== undefined && <span className="text-sm break-words">{textOf(name)}</span>}
        {facts !== '' && <span className="text-sm text-muted">{facts}</span>}
        {problem && <Problem>{problem}</Problem>}
        {otherKeys.length > 0 && <p className="text-sm text-muted">{words.otherKeys(otherKeys)}</p>}
      </div>
      <span className="text-sm tabular-nums">
        {(model.cost || !isOverride) && <PriceCell cost={model.cost} btcUsd={btcUsd} />}
      </span>
      {id !== '' && (
        <span className="flex flex-wrap items-center gap-2">
          {onUse && !isUsed && (
            <Button size="small" data-row-action="use" aria-label={words.chooseLabel(id)} onClick={onUse}>
              {words.choose}
            </Button>
          )}
          {onTest && (
            <Button size="small" data-row-action="test" aria-label={words.test.testOf(id)} onClick={onTest}>
              {words.test.test}
            </Button>
          )}
          <Button
            size="small"
            data-shows-row
            data-row-action="edit"
            aria-label={words.editLabel(id)}
            onClick={onEdit}
          >
            {words.edit}
          </Button>
          <Button size="small" data-row-action="remove" aria-label={words.removeLabel(id)} onClick={onRemove}>
            {words.remove}
          </Button>
        </span>
      )}
    </li>
  );
};

interface ProviderRowProps {
  readonly provider: PiProvider;
  /** The model in use, with its provider. */
  readonly used: string | undefined;
  readonly btcUsd: number | null;
  readonly onUse: (name: string) => void;
  /** Opens a form. A null name adds an entry. */
  readonly onEdit: (kind: EntryKind, name: string | null) => void;
  readonly onRemove: (kind: EntryKind, name: string) => void;
  /** Opens the dialog that fetches models. */
  readonly onFetch: (provider: PiProvider) => void;
  readonly onTest: (provider: PiProvider, model: PiModel) => void;
}

/** One provider: its description, its problem and its models. */
const ProviderRow = (props: ProviderRowProps) => {
  const { provider, used, btcUsd, onUse, onEdit, onRemove, onFetch, onTest } = props;
  const { id, name, baseUrl, api, problem, accepted, isBuiltIn, otherKeys, headers } = provider;
  const isLeftOut = !accepted && provider.models.some((model) => model.problem !== undefined);
  const facts = [baseUrl, api].flatMap((each) => (each === undefined ? [] : [textOf(each)]));
  const names = Object.keys(headers ?? {});
  const use = ({ id: model, accepted: canUse }: PiModel | PiModelOverride): (() => void) | undefined => {
    const full = `${id}/${model}`;
    return canUse && isModelArgument(full) ? () => onUse(full) : undefined;
  };
  return (
    <li className="flex flex-col py-2">
      <div data-details-row className="flex flex-wrap items-start gap-x-3 gap-y-2 px-6 py-1 max-icons:px-4">
        <div className="flex min-w-40 flex-1 flex-col gap-0.5">
          <span className="flex flex-wrap items-center gap-x-2">
            <span className={cx('font-medium wrap-anywhere', !accepted && 'text-muted')}>{id}</span>
            {name !== undefined && <span className="text-muted">{textOf(name)}</span>}
            {isBuiltIn && <Badge>{words.builtIn}</Badge>}
          </span>
          <span data-details="" className="truncate font-mono text-sm text-muted">
            {[...facts, keyText(provider)].filter(Boolean).join(' · ')}
          </span>
          {(problem ?? isLeftOut) && <Problem>{problem ?? words.leftOut}</Problem>}
          {names.length + otherKeys.length > 0 && (
            <p className="text-sm text-muted">{words.otherKeys([...names, ...otherKeys])}</p>
          )}
        </div>
        <span className="flex flex-wrap items-center gap-2">
          {calledFor(provider) && !knowsModels(id) && (
            <Button
              size="small"
              data-row-action="fetch"
              aria-label={words.find.fetchOf(id)}
              onClick={() => onFetch(provider)}
            >
              {words.find.fetch}
            </Button>
          )}
          <Button
            size="small"
            data-row-action="add-model"
            aria-label={words.addModelTo(id)}
            onClick={() => onEdit(modelKind(id), null)}
          >
            {words.addModel}
          </Button>
          {isBuiltIn && (
            <Button
              size="small"
              data-row-action="add-override"
              aria-label={words.addOverrideOf(id)}
              onClick={() => onEdit(overrideKind(id), null)}
            >
              {words.addOverride}
            </Button>
          )}
          <Button
            size="small"
            data-shows-row
            data-row-action="edit"
            aria-label={words.editLabel(id)}
            onClick={() => onEdit(PROVIDER, id)}
          >
            {words.edit}
          </Button>
          <Button
            size="small"
            data-row-action="remove"
            aria-label={words.removeLabel(id)}
            onClick={() => onRemove(PROVIDER, id)}
          >
            {words.remove}
          </Button>
        </span>
      </div>
      <ul aria-label={words.modelsOf(id)}>
        {provider.models.map((model, index) => (
          <ModelRow
            // biome-ignore lint/suspicious/noArrayIndexKey: two models in a file can have the same id
            key={`${index} ${model.id}`}
            model={model}
            isOverride={false}
            isUsed={used === `${id}/${model.id}`}
            btcUsd={btcUsd}
            onUse={use(model)}
            onTest={calledFor(provider, model) && (() => onTest(provider, model))}
            onEdit={() => onEdit(modelKind(id), model.id)}
            onRemove={() => onRemove(modelKind(id), model.id)}
          />
        ))}
        {provider.modelOverrides.map((override) => (
          <ModelRow
            key={override.id}
            model={override}
            isOverride
            isUsed={used === `${id}/${override.id}`}
            btcUsd={btcUsd}
            onUse={isBuiltIn ? use(override) : undefined}
            onTest={undefined}
            onEdit={() => onEdit(overrideKind(id), override.id)}
            onRemove={() => onRemove(overrideKind(id), override.id)}
          />
        ))}
      </ul>
    </li>
  );
};

/** Says how to sign in to the provider of the agent's model, if pi can't use it. */
const NotReady = ({ agent }: { readonly agent: AgentSummary }) => {
  const readiness = useReadiness(agent.id);
  if (!readiness) return null;
  const { model, signIn } = readiness;
  if (signIn.state !== 'missing' && signIn.reason !== 'no_model') return null;
  return (
    <div className="max-w-prose px-6 pt-4 max-icons:px-4">
      <Callout
        tone="note"
        title={model === null ? words.notReady.unnamed : words.notReady.heading(model)}
        announce="status"
      >
        <p>{words.notReady.local}</p>
        {signIn.provider !== null && <SignInGuide provider={signIn.provider} path={agent.path} />}
      </Callout>
    </div>
  );
};

interface ProviderListProps extends Pick<ProviderRowProps, 'onEdit' | 'onRemove' | 'onFetch' | 'onTest'> {
  readonly agent: AgentSummary;
  readonly models: AgentModels;
  readonly onAdd: () => void;
}

const ProviderList = ({ agent, models, onAdd: add, ...rowActions }: ProviderListProps) => {
  const list = useRef<HTMLDivElement>(null);
  useFocusAfterRemoval(list);
  const btcUsd = useBtcUsd();
  const used = useNamedModel(agent.id);
  const { mutate: choose } = useSetModel(agent.id);
  const isEmpty = models.providers.length === 0;
  return (
    <div ref={list} tabIndex={-1} className="flex min-h-full flex-col outline-none">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-6 pt-4 pb-2 max-icons:px-4">
        <h2 className="font-semibold">{words.heading}</h2>
        <span className="text-sm text-muted">{!isEmpty && words.prices}</span>
        <span className="ml-auto flex min-h-6 flex-wrap gap-2">
          {models.exists && <FileActions agent={agent} name="models.json" />}
          {!isEmpty && (
            <Button size="small" data-row-action="add" onClick={add}>
              <Plus aria-hidden="true" className="size-3.5" />
              {words.add}
            </Button>
          )}
        </span>
      </div>
      <NotReady agent={agent} />
      {models.problem && <Notice tone="danger" title={models.problem} />}
      {isEmpty && !models.problem && (
        <div className="flex-1">
          <EmptyState level={3} art={<PriceArt />} title={words.none} hint={words.noneHint}>
            <Button variant="primary" data-row-action="add" onClick={add}>
              {words.add}
            </Button>
          </EmptyState>
        </div>
      )}
      <ul aria-label={words.label(agent.id)} className="divide-y divide-line">
        {models.providers.map((provider) => (
          <ProviderRow
            key={provider.id}
            provider={provider}
            used={used}
            btcUsd={btcUsd}
            onUse={(name) => choose(name)}
            {...rowActions}
          />
        ))}
      </ul>
    </div>
  );
};

/** The provider whose models are fetched, or the model that is tested. Stays set while the dialog closes. */
type Called =
  | { readonly kind: 'fetch'; readonly provider: PiProvider }
  | { readonly kind: 'test'; readonly provider: PiProvider; readonly model: PiModel };

interface Edited {
  readonly kind: EntryKind;
  readonly name: string | null;
  readonly file: JsonFile;
}

/** Returns the id of the provider that a kind of entry belongs to. Undefined for providers themselves. */
const providerOf = ({ parent }: EntryKind): string | undefined =>
  parent[1] === undefined ? undefined : String(parent[1]);

const takenBy = (kind: EntryKind, { providers }: AgentModels): readonly string[] => {
  const found = providers.find(({ id }) => id === providerOf(kind));
  const entries = kind === PROVIDER ? providers : kind.isList ? found?.models : found?.modelOverrides;
  return entries?.map(({ id }) => id) ?? [];
};

const titleOf = ({ kind, name }: Pick<Edited, 'kind' | 'name'>): string => {
  if (name !== null) return words.dialog.editTitle(name);
  return words.dialog.addTitle(kind.isList ? 'model' : 'override', providerOf(kind) ?? '');
};

/** The providers and models that an agent adds to pi's own. */
export const ModelsSection = ({ agent }: { readonly agent: AgentSummary }) => {
  const state = usePiModels(agent.id);
  const json = useJsonFile(agent.id, 'models.json');
  const { mutate: remove } = useRemoveEntry(agent.id);
  const [edited, setEdited] = useState<Edited>();
  const [isOpen, setIsOpen] = useState(false);
  const [isAdding, setIsAdding] = useState(false);
  const [called, setCalled] = useState<Called>();
  const [isCalling, setIsCalling] = useState(false);
  if (state.status === 'loading' || json.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  if (json.status === 'error') return <ErrorState error={json.error} onRetry={json.retry} />;
  const file = json.data;
  const open = (next: Called): void => {
    setCalled(next);
    setIsCalling(true);
  };
  // The list changes while the dialog is open.
  const shown =
    called && (state.data.providers.find(({ id }) => id === called.provider.id) ?? called.provider);
  const tested = called?.kind === 'test' ? calledFor(called.provider, called.model) : undefined;
  return (
    <>
      <ProviderList
        agent={agent}
        models={state.data}
        onAdd={() => setIsAdding(true)}
        onFetch={(provider) => open({ kind: 'fetch', provider })}
        onTest={(provider, model) => open({ kind: 'test', provider, model })}
        onEdit={(kind, name) => {
          setEdited({ kind, name, file });
          setIsOpen(true);
        }}
        onRemove={(kind, name) => remove({ name, edits: removalOf(kind, file, name), etag: file.etag })}
      />
      {edited && (
        <EntryDialog
          id={agent.id}
          kind={edited.kind}
          name={edited.name}
          file={edited.file}
          taken={takenBy(edited.kind, state.data)}
          title={titleOf(edited)}
          open={isOpen}
          onOpenChange={setIsOpen}
        />
      )}
      <AddProviderDialog
        agent={agent}
        taken={state.data.providers.map(({ id }) => id)}
        open={isAdding}
        onOpenChange={setIsAdding}
      />
      {shown && called.kind === 'fetch' && (
        <FetchModelsDialog agent={agent.id} provider={shown} open={isCalling} onOpenChange={setIsCalling} />
      )}
      {called?.kind === 'test' && tested && (
        <TestModelDialog
          agent={agent.id}
          provider={called.provider.id}
          model={called.model.id}
          called={tested}
          open={isCalling}
          onOpenChange={setIsCalling}
        />
      )}
    </>
  );
};
