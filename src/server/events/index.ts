import { streamEvents } from '../../shared/api/events.ts';
import type { Base, Feature } from '../feature.ts';
import { createEventsService, type EventsService } from './events.service.ts';
import { createRootWatch } from './root-watch.ts';

/** Creates the event stream. The disk thread follows the root while the stream has subscribers. */
export const createEvents = ({
  disk,
  logger,
}: Pick<Base, 'disk' | 'logger'>): Feature & Pick<EventsService, 'publish'> => {
  const events = createEventsService(createRootWatch(disk, logger));
  return {
    routes(_bind, bindStream) {
      bindStream(streamEvents, (send) => events.subscribe(({ name, data }) => send(name, data)));
    },
    publish: events.publish,
    close: events.close,
  };
};
