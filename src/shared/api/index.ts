import * as agents from './agents.ts';
import * as catalog from './catalog.ts';
import type { EndpointShape } from './endpoint.ts';
import { streamEvents } from './events.ts';
import * as files from './files.ts';
import { getHealth, getOpenApi } from './health.ts';
import { links } from './links.ts';
import * as trash from './trash.ts';

/** Every endpoint of the API. A route that is not here cannot be bound, and does not appear in OpenAPI. */
export const endpoints: readonly EndpointShape[] = [
  getHealth,
  agents.listAgents,
  agents.getAgent,
  agents.createAgent,
  agents.deleteAgent,
  files.readFile,
  files.writeFile,
  catalog.listExtensions,
  catalog.listSkills,
  ...Object.values(links.extensions),
  ...Object.values(links.skills),
  trash.listTrash,
  trash.restoreFromTrash,
  trash.removeFromTrash,
  streamEvents,
  getOpenApi,
];
