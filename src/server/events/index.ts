import { type ServerEvent, streamEvents } from '../../shared/api/events.ts';
import type { Base, Feature } from '../feature.ts';
import type { Caller } from '../platform/caller.ts';
import { createEventsService, type EventsService } from './events.service.ts';
import { createRootWatch } from './root-watch.ts';

/** Returns an event as a caller sees it. SECURITY: a key learns nothing about the operations of others. */
const shownTo = (caller: Caller, event: ServerEvent): ServerEvent => {
  if (event.name !== 'wallet' || caller.kind === 'operator') return event;
  const { balance, pending } = event.data;
  return { name: 'wallet', data: { balance, pending, operation: null } };
};

/** Creates the event stream. The disk thread follows the root while the stream has subscribers. */
export const createEvents = ({
  disk,
  logger,
}: Pick<Base, 'disk' | 'logger'>): Feature & Pick<EventsService, 'publish' | 'follow'> => {
  const events = createEventsService(createRootWatch(disk, logger));
  return {
    routes(_bind, bindStream) {
      bindStream(streamEvents, (send, caller) =>
        events.subscribe((event) => {
          const { name, data } = shownTo(caller, event);
          send(name, data);
        }),
      );
    },
    publish: events.publish,
    follow: events.follow,
    close: events.close,
  };
};
