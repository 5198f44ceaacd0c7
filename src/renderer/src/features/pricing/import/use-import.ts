import { useIsMutating, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type ImportPreview,
  type PriceChange,
  type PriceList,
  previewImport,
} from '../../../../../shared/api/pricing.ts';
import { ApiError, call } from '../../../api/client.ts';
import { after } from '../../../api/invalidations.ts';
import {
  type PricedModel,
  type ReadModels,
  readModels,
  saveModels,
  toPricedModel,
} from '../../../api/models.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { notify } from '../../../ui/toast.tsx';

/** Returns the initially selected changes: those of models that are already in the file. */
export const preselected = (changes: readonly PriceChange[]): ReadonlySet<string> =>
  new Set(changes.filter(({ before }) => before !== null).map(({ name }) => name));

/** Returns the selection after the file was read again, without changes that no longer exist. */
export const stillSelected = (
  selected: ReadonlySet<string>,
  changes: readonly PriceChange[],
): ReadonlySet<string> => {
  const names = new Set(changes.map(({ name }) => name));
  return new Set([...selected].filter((name) => names.has(name)));
};

/** Returns the selection with some names added or removed. */
export const withSelected = (
  selected: ReadonlySet<string>,
  names: readonly string[],
  isSelected: boolean,
): ReadonlySet<string> => {
  const next = new Set(selected);
  for (const name of names) {
    if (isSelected) next.add(name);
    else next.delete(name);
  }
  return next;
};

/** Returns the models with the selected changes applied. New models are last, and none are removed. */
export const merged = (
  models: readonly PricedModel[],
  changes: readonly PriceChange[],
  selected: ReadonlySet<string>,
): readonly PricedModel[] => {
  const byName = new Map(models.map((model) => [model.name, model]));
  for (const { name, after } of changes) {
    if (!selected.has(name)) continue;
    byName.set(name, toPricedModel(name, after));
  }
  return [...byName.values()];
};

/** The source of an import: a public price list that the server fetches, or a price list's content. */
type ImportFrom = { readonly source: PriceList } | { readonly content: string };

/** The changes of an import, and the file that it would change. */
interface Preview {
  readonly from: ImportFrom;
  readonly list: ImportPreview;
  readonly file: Pick<ReadModels, 'models' | 'configError' | 'etag'>;
}

/** An import: first `choosing` the list, then `selecting` among its changes. */
export type ImportState =
  | {
      readonly step: 'choosing';
      readonly show: (from: ImportFrom) => void;
      /** Clears the error, because the person chose another list. */
      readonly forget: () => void;
      readonly isReading: boolean;
      readonly error: ApiError | null;
    }
  | {
      readonly step: 'selecting';
      readonly preview: Preview;
      readonly selected: ReadonlySet<string>;
      readonly select: (names: readonly string[], isSelected: boolean) => void;
      readonly back: () => void;
      readonly write: () => void;
      readonly isWriting: boolean;
      /** True if the file changed before the write, so this preview is for its current version. */
      readonly hasChanged: boolean;
      readonly error: ApiError | null;
    };

const readPreview = async (from: ImportFrom): Promise<Preview> => {
  // Read the file first, so that its etag blocks the write if the file changes before the comparison.
  const file = await readModels().catch((error: unknown) => {
    // The server never read a valid models file, but an import can write one.
    if (error instanceof ApiError && error.code === 'pricing_config_invalid') {
      return { models: [], configError: error.message, etag: null };
    }
    throw error;
  });
  return { from, file, list: await call(previewImport, { body: from }) };
};

const WRITING = ['pricing', 'import'];

/** Returns whether an import is being written. The dialog must stay open to show the result. */
export const useIsWriting = (): boolean => useIsMutating({ mutationKey: WRITING }) > 0;

/** Imports prices from a price list: previews its changes and writes the selected ones. */
export const useImport = (onWritten: () => void): ImportState => {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [hasChanged, setHasChanged] = useState(false);

  const reading = useMutation<Preview, ApiError, ImportFrom>({
    mutationFn: readPreview,
    onSuccess: (next) => {
      setPreview(next);
      setSelected(preselected(next.list.changes));
      setHasChanged(false);
    },
  });

  /** Resolves to true if the import was written. If the file changed, reads it again and resolves to false. */
  const write = async ({ from, file, list }: Preview): Promise<boolean> => {
    try {
      await saveModels(merged(file.models, list.changes, selected), file.etag);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'file_changed') throw error;
      const next = await readPreview(from);
      setPreview(next);
      setSelected(stillSelected(selected, next.list.changes));
      setHasChanged(true);
      return false;
    }
  };
  const writing = useMutation<boolean, ApiError, Preview>({
    mutationKey: WRITING,
    mutationFn: write,
    meta: { refresh: after.models() },
    onSuccess: (isWritten) => {
      if (!isWritten) return;
      notify(words.import.written(selected.size));
      onWritten();
    },
  });

  if (!preview) {
    return {
      step: 'choosing',
      show: (from) => reading.mutate(from),
      forget: reading.reset,
      isReading: reading.isPending,
      error: reading.error,
    };
  }
  return {
    step: 'selecting',
    preview,
    selected,
    select: (names, isSelected) => setSelected(withSelected(selected, names, isSelected)),
    back: () => {
      setPreview(null);
      writing.reset();
    },
    write: () => !writing.isPending && selected.size > 0 && writing.mutate(preview),
    isWriting: writing.isPending,
    hasChanged,
    error: writing.error,
  };
};
