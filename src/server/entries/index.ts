import { listEntries } from '../../shared/api/entries.ts';
import type { Base, Feature } from '../feature.ts';

/** Creates the route that lists an agent's directory. The disk thread reads it. */
export const createEntries = ({ disk }: Pick<Base, 'disk'>): Feature => ({
  routes(bind) {
    bind(listEntries, ({ params }) => disk.ask({ entriesOf: params.id }));
  },
});
