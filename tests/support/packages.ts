import { packageAdded, packageFiltered, packageRemoved } from '../../src/pi/package-edits.ts';
import type { PackageChange } from '../../src/pi/package-filters.ts';
import type { JsonEdit } from '../../src/shared/json-edit.ts';
import { type Edited, editFile, undoEdits } from './json-edits.ts';
import type { TestServer } from './server.ts';

/** Returns functions that change the packages of scout, as the page does. */
export const packageEditor = (server: Pick<TestServer, 'asOperator'>) => {
  const edit = (edits: readonly JsonEdit[], more: object = {}): Promise<Edited> =>
    editFile(server, { json: 'settings.json', edits, ...more });
  const packages = async () =>
    (await server.asOperator('GET', '/api/agents/scout/json/settings.json?reveal=true')).body.value?.packages;
  return {
    edit,
    add: async (source: string, more?: object) => edit(packageAdded(await packages(), source), more),
    filter: async (index: number, change: PackageChange) =>
      edit(packageFiltered(await packages(), index, change)),
    remove: (index: number, more?: object) => edit(packageRemoved(index), more),
    undo: (made: Pick<Edited, 'change'>) => undoEdits(server, made),
  };
};
