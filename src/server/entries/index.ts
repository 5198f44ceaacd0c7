import { listEntries } from '../../shared/api/entries.ts';
import type { Base, Feature } from '../feature.ts';
import { readerOf } from '../platform/caller.ts';

/** Creates the route that lists an agent's directory. The disk thread reads it. */
export const createEntries = ({ disk }: Pick<Base, 'disk'>): Feature => ({
  routes(bind) {
    bind(listEntries, ({ params }, caller) => disk.ask({ entriesOf: params.id, reader: readerOf(caller) }));
  },
});
