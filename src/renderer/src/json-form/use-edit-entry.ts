import { useQueryClient } from '@tanstack/react-query';
import { jsonFileQuery } from '../api/agent-queries.ts';
import { after } from '../api/invalidations.ts';
import { useChange } from '../changes/changes.ts';
import { jsonForm as words } from '../strings/json-form.ts';
import { type EntryChange, type EntryKind, entryChange, entryChangeIn } from './entry-kind.ts';
import { editJsonFile, ifStill } from './json-edits.ts';

interface EntryEdit extends EntryChange {
  /** True if another program changed the file, and the person saves anyway. */
  readonly isAnyway: boolean;
}

/** Adds or changes an entry of a JSON file, and offers Undo. The caller reports failures. */
export const useEditEntry = (id: string, kind: EntryKind) => {
  const client = useQueryClient();
  return useChange({
    async make({ isAnyway, ...change }: EntryEdit) {
      const file = isAnyway
        ? await client.fetchQuery({ ...jsonFileQuery(id, kind.file), staleTime: 0 })
        : change.file;
      const edits = isAnyway ? entryChangeIn(kind, change, file) : entryChange(kind, change);
      if (!edits) throw new Error(words.conflictInList(kind.file));
      return editJsonFile(words.change(change.name), {
        agent: id,
        json: kind.file,
        edits,
        ...ifStill(file.etag),
      });
    },
    said: (_, { oldName, name }) => (oldName === null ? words.added(name) : words.changed(name)),
    refresh: after.entries(id),
  });
};
