import { listProfiles } from '../../shared/api/profiles.ts';
import type { Base, Feature } from '../feature.ts';

/** Creates the route for profiles. The disk thread reads them. */
export const createProfiles = ({ disk }: Pick<Base, 'disk'>): Feature => ({
  routes(bind) {
    bind(listProfiles, () => disk.list('profiles'));
  },
});
