import type { ServerEvent } from '../../shared/api/events.ts';
import {
  type EditableFile,
  isAgentId,
  isEditableFile,
  LINK_KINDS,
  type LinkKind,
} from '../../shared/api/names.ts';

const isKind = (name: string | undefined): name is LinkKind =>
  (LINK_KINDS as readonly unknown[]).includes(name);

/** Returns whether this is one of dot-mi's temp files (platform/atomic-write.ts). */
const isTemp = (name: string): boolean => name.startsWith('.') && name.endsWith('.tmp');

/** The events to send if anything on disk may have changed. */
export const EVERYTHING_CHANGED: readonly ServerEvent[] = [
  { name: 'agents', data: { ids: null, files: null } },
  { name: 'entries', data: { ids: null } },
  { name: 'sessions', data: { ids: null } },
  { name: 'links', data: { ids: null } },
  { name: 'catalog', data: { kinds: [...LINK_KINDS] } },
  { name: 'presets', data: {} },
];

/** A stream's first event. A page that reconnects doesn't know what it missed. */
export const STREAM_BEGINS: ServerEvent = { name: 'hello', data: {} };

/** Returns the events for changed paths, relative to the root with "/". Paths that no route uses cause no event. */
export const eventsOf = (paths: Iterable<string>): ServerEvent[] => {
  const agents = new Set<string>();
  const files = new Set<EditableFile>();
  let wholeAgents = false;
  const linkedAgents = new Set<string>();
  const agentsWithEntries = new Set<string>();
  const agentsWithSessions = new Set<string>();
  const kinds = new Set<LinkKind>();
  let presets = false;
  let teams = false;

  for (const path of paths) {
    const [top, second, third, fourth] = path.split('/');
    if (top === '' || ((top === 'agents' || top === 'shared') && second === undefined))
      return [...EVERYTHING_CHANGED];
    if (top === 'shared' && isKind(second)) kinds.add(second);
    if (top === 'shared' && second === 'presets' && !isTemp(third ?? '')) presets = true;
    if (top === 'workspaces' && second !== undefined && isAgentId(second) && fourth === 'sessions')
      agentsWithSessions.add(second);
    if (top === 'teams' && (third === undefined || isKind(third))) teams = true;
    if (top !== 'agents' || second === undefined || !isAgentId(second)) continue;
    if (third === 'sessions') agentsWithSessions.add(second);
    if (third === undefined) {
      agents.add(second);
      linkedAgents.add(second);
      wholeAgents = true;
    } else if (isEditableFile(third)) {
      agents.add(second);
      files.add(third);
    } else if (isKind(third)) {
      linkedAgents.add(second);
    } else if (fourth === undefined && !isTemp(third)) {
      agentsWithEntries.add(second);
    }
  }

  const events: ServerEvent[] = [];
  if (agents.size > 0) {
    events.push({ name: 'agents', data: { ids: [...agents], files: wholeAgents ? null : [...files] } });
  }
  if (agentsWithEntries.size > 0) events.push({ name: 'entries', data: { ids: [...agentsWithEntries] } });
  if (agentsWithSessions.size > 0) events.push({ name: 'sessions', data: { ids: [...agentsWithSessions] } });
  // A shared entry that appears or disappears can fix or break any agent's links.
  if (kinds.size > 0) events.push({ name: 'links', data: { ids: null } });
  // A team's link affects only the list of a shared entry's users.
  else if (linkedAgents.size > 0 || teams) events.push({ name: 'links', data: { ids: [...linkedAgents] } });
  if (kinds.size > 0) events.push({ name: 'catalog', data: { kinds: [...kinds] } });
  if (presets) events.push({ name: 'presets', data: {} });
  return events;
};
