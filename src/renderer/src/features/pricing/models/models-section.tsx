import { Import, Plus } from 'lucide-react';
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { needsSignIn } from '../../../../../shared/api/errors.ts';
import type { PricedModel } from '../../../api/models.ts';
import { useUnsaved } from '../../../drafts/unsaved.ts';
import { useRequestedEntry } from '../../../shell/intents.ts';
import { ariaKeys, useShortcuts } from '../../../shell/shortcuts.ts';
import { SignInButton } from '../../../shell/sign-in.tsx';
import { common } from '../../../strings/common.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { Button } from '../../../ui/button.tsx';
import { Question } from '../../../ui/dialog.tsx';
import { PriceArt } from '../../../ui/empty-art.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { matches } from '../../../ui/matches.ts';
import { Notice } from '../../../ui/notice.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { ModelDialog } from '../editing/model-dialog.tsx';
import { describeEdit, type OpenModel, openModelOf } from '../editing/price-edits.ts';
import { type Edits, type OpenEdit, useEdits } from '../editing/use-edits.ts';
import { type ModelsStatus, useModelUsers } from '../use-pricing.ts';
import { ModelsTable } from './models-table.tsx';
import { flatModels, groupModels, type ModelSorting, sortModels } from './order-models.ts';
import { useCellEditor } from './use-cell-editor.ts';

interface EditNoticesProps {
  readonly edits: Edits;
  /** Called when the clicked button disappears with its notice. */
  readonly onGone: () => void;
}

/** Says why edits weren't saved: the file changed, it can't be written, or part of it would be lost. */
const EditNotices = ({ edits, onGone }: EditNoticesProps) => (
  <>
    {edits.open.map((open) => (
      <OpenEditNotice key={open.id} open={open} edits={edits} onGone={onGone} />
    ))}
    <Question
      open={edits.lossy !== null}
      onCancel={() => edits.lossy?.cancel()}
      title={words.edit.lossTitle}
      description={
        <>
          {edits.lossy?.configError} {words.import.configError}
        </>
      }
    >
      <Button onClick={() => edits.lossy?.cancel()}>{common.cancel}</Button>
      <Button variant="danger" onClick={() => edits.lossy?.confirm()}>
        {words.edit.lossConfirm}
      </Button>
    </Question>
  </>
);

const OpenEditNotice = ({ open, edits, onGone }: EditNoticesProps & { readonly open: OpenEdit }) => {
  const { id, edit, blockedBy, conflict } = open;
  const error = blockedBy.kind === 'failed' ? blockedBy.error : null;
  const leave = (answer: (id: number) => void) => () => {
    onGone();
    answer(id);
  };
  return (
    <Notice
      tone={error ? 'danger' : 'warn'}
      title={error ? words.edit.failed : words.edit.changedMeanwhile}
      actions={
        <>
          {needsSignIn(error) && <SignInButton />}
          {(error || !conflict) && (
            <Button size="small" variant="primary" onClick={leave(edits.again)}>
              {error ? common.tryAgain : words.edit.applyAgain}
            </Button>
          )}
          <Button size="small" onClick={leave(edits.discard)}>
            {common.discard}
          </Button>
        </>
      }
    >
      {error
        ? words.edit.failedHint(describeEdit(edit), error.message)
        : words.edit.changedHint(describeEdit(edit))}{' '}
      {!error && conflict && words.edit[conflict.conflict](conflict.name)}
    </Notice>
  );
};

const NONE: readonly PricedModel[] = [];

interface ModelsSectionProps {
  readonly models: ModelsStatus;
  /** Null while there is no BTC price. */
  readonly btcUsd: number | null;
  readonly scroller: HTMLElement | null;
  readonly onImport: () => void;
}

/** The models and their prices, with search and sorting. */
export const ModelsSection = ({ models, btcUsd, scroller, onImport }: ModelsSectionProps) => {
  const id = useId();
  const edits = useEdits();
  const place = useRef<HTMLHeadingElement>(null);
  const [edited, setEdited] = useUnsaved<OpenModel>('pricing/model');
  const edit = (model: PricedModel | null): void => setEdited(openModelOf(model, edits.etag));
  const [query, setQuery] = useState('');
  useRequestedEntry('model', true, setQuery);
  const [sorting, setSorting] = useState<ModelSorting>({ column: 'name', direction: 'ascending' });
  const all = models.status === 'ready' ? models.models : null;
  /** Kept while the models can't be refetched, because the current edit is based on them. */
  const lastRead = models.status === 'ready' ? models.models : models.lastRead;
  const users = useModelUsers(lastRead ?? NONE);
  const { draft, actions: cells } = useCellEditor(edits.etag, edits.run);
  // Another program removed the model. Its pending edit shows the typed values and that they can't be saved.
  const isGone = draft !== null && lastRead?.every(({ name }) => name !== draft.model.name) === true;
  useEffect(() => {
    if (isGone) cells.commit();
  }, [isGone, cells]);
  const found = useMemo(
    () =>
      all &&
      sortModels(
        all.filter(({ name }) => matches(query, name)),
        sorting,
      ),
    [all, query, sorting],
  );
  // Sorting by price mixes the providers, so that the cheapest models are together.
  const items = useMemo(
    () => found && (sorting.column === 'name' ? groupModels : flatModels)(found),
    [found, sorting.column],
  );
  useShortcuts(lastRead ? { newEntry: () => edit(null) } : {});
  return (
    <section aria-labelledby={id} className="flex flex-col">
      <div className="sticky top-0 z-2 flex h-12 items-center gap-3 bg-canvas px-6">
        <h2 ref={place} id={id} tabIndex={-1} className="font-semibold outline-none">
          {words.models.heading}
        </h2>
        <span role="status" className="mr-auto truncate text-sm text-muted">
          {all &&
            found &&
            (query === '' ? words.models.count(all.length) : words.models.matches(found.length))}
        </span>
        <div className="w-56 min-w-24">
          <SearchField isMain label={words.models.search} value={query} onValueChange={setQuery} />
        </div>
        <Button disabled={!lastRead} aria-keyshortcuts={ariaKeys('newEntry')} onClick={() => edit(null)}>
          <Plus aria-hidden="true" className="size-3.5" />
          {words.models.add}
        </Button>
        <Button onClick={onImport}>
          <Import aria-hidden="true" className="size-3.5" />
          {words.import.open}
        </Button>
      </div>
      {models.status === 'loading' && <Loading />}
      {models.status === 'error' && <ErrorState error={models.error} onRetry={models.retry} />}
      {models.status === 'ready' && models.configError && (
        <Notice tone="warn" title={words.models.problem}>
          {models.configError}
        </Notice>
      )}
      <EditNotices edits={edits} onGone={() => place.current?.focus()} />
      {edited && lastRead && (
        <ModelDialog
          open={edited}
          onType={(draft) => setEdited({ ...edited, draft })}
          models={lastRead}
          edits={edits}
          onClose={() => setEdited(null)}
        />
      )}
      {all?.length === 0 && (
        <EmptyState level={3} art={<PriceArt />} title={words.models.none} hint={words.models.noneHint} />
      )}
      {all && all.length > 0 && found && items && (
        <>
          <ModelsTable
            items={items}
            btcUsd={btcUsd}
            sorting={sorting}
            onSort={setSorting}
            scroller={scroller}
            edits={edits}
            draft={draft}
            cells={cells}
            users={users}
            onEdit={edit}
          />
          {found.length === 0 && <Nothing>{common.noMatch(query)}</Nothing>}
        </>
      )}
    </section>
  );
};

const Nothing = ({ children }: { readonly children: ReactNode }) => (
  <p className="px-6 py-3 break-words text-muted">{children}</p>
);
