import { streamEvents } from '../../shared/api/events.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { EventsService } from './events.service.ts';

/** The event stream. */
export const eventsRoutes =
  (events: EventsService): Routes =>
  (_bind, bindStream) => {
    bindStream(streamEvents, (send) => events.subscribe(({ name, data }) => send(name, data)));
  };
