import { listEntries } from '../../shared/api/entries.ts';
import type { Base, Feature } from '../feature.ts';

/** Creates the route of everything in an agent's directory. The disk thread lists it. */
export const createEntries = ({ disk }: Pick<Base, 'disk'>): Feature => ({
  routes(bind) {
    bind(listEntries, ({ params }) => disk.ask({ entriesOf: params.id }));
  },
});
