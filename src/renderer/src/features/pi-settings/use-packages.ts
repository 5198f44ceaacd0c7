import { useQuery, useQueryClient } from '@tanstack/react-query';
import { packageAdded, packageFiltered, packageRemoved } from '../../../../pi/package-edits.ts';
import { switchPart } from '../../../../pi/package-filters.ts';
import { HIDDEN_PART, type PackageResource } from '../../../../pi/packages.ts';
import { readJsonFile } from '../../../../shared/api/json-files.ts';
import type { AgentPackage, AgentPackages } from '../../../../shared/api/packages.ts';
import type { JsonEdit } from '../../../../shared/json-edit.ts';
import { isJsonObject } from '../../../../shared/json-object.ts';
import { packagesQuery } from '../../api/agent-queries.ts';
import { call } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { keys } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { useChange } from '../../changes/changes.ts';
import { editJsonFile, ifStill } from '../../json-form/json-edits.ts';
import { packages as words } from '../../strings/packages.ts';

/** An agent's pi packages. Undefined until loaded. */
export const usePackages = (id: string): AgentPackages | undefined => lastRead(useQuery(packagesQuery(id)));

/** A part of a package to switch on or off. */
export interface PartSwitch {
  readonly index: number;
  readonly source: string;
  readonly kind: PackageResource;
  readonly path: string;
  readonly isOn: boolean;
}

/** A package to add, a package to remove, or a part to switch. */
export type PackageEdit =
  | { readonly add: string }
  | { readonly remove: AgentPackage }
  | { readonly switch: PartSwitch };

/** Reads an agent's `packages` with their sources in full, because pi identifies a package by its source. */
const readPackages = async (id: string, state: AgentPackages | undefined): Promise<unknown> => {
  const isHidden = state?.packages.some(({ source }) => source?.includes(HIDDEN_PART));
  const { value } = await call(readJsonFile, {
    params: { id, file: 'settings.json' },
    query: isHidden ? { reveal: 'true' } : {},
  });
  return isJsonObject(value) ? value.packages : undefined;
};

const editsOf = async (
  id: string,
  state: AgentPackages | undefined,
  edit: PackageEdit,
): Promise<JsonEdit[]> => {
  if ('remove' in edit) return packageRemoved(edit.remove.index);
  if ('add' in edit) return packageAdded(await readPackages(id, state), edit.add);
  const { index, source, kind, path, isOn } = edit.switch;
  const entry = state?.packages[index];
  const part = entry?.adds?.[kind].find((one) => one.path === path);
  if (!entry || !part || entry.source !== source) throw new Error(words.changed);
  return packageFiltered(await readPackages(id, state), index, switchPart(entry, kind, part, isOn));
};

const doneBy = (edit: PackageEdit): string => {
  if ('add' in edit) return words.added(edit.add);
  if ('remove' in edit) return words.removed(edit.remove.source ?? words.noSource);
  return words.switched(edit.switch.path, edit.switch.isOn);
};

/** Adds, removes or changes a package, and offers Undo. The caller reports failures. */
export const useChangePackage = (id: string) => {
  const client = useQueryClient();
  return useChange({
    // Run changes one after the other, because a second click needs the etag from the first.
    scope: `packages of ${id}`,
    async make(edit: PackageEdit) {
      const state = client.getQueryData<AgentPackages>(keys.packages(id));
      return editJsonFile(words.change, {
        agent: id,
        json: 'settings.json',
        edits: await editsOf(id, state, edit),
        ...ifStill(state?.etag ?? null),
      });
    },
    said: (_, edit) => doneBy(edit),
    refresh: after.entries(id),
  });
};
