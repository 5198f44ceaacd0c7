import { byKind } from '../../../shared/api/names.ts';
import { forKinds, kindNames } from './link-kinds.ts';

/** Strings for an agent's links. */
export const linkWords = {
  linked: 'In this agent',
  linkedLabel: byKind((kind) => `${kindNames.many[kind]} of this agent`),
  sharedHeading: forKinds((plural) => `Shared ${plural}`),
  sharedLabel: forKinds((plural) => `Shared ${plural} to link`),
  search: forKinds((plural) => `Search shared ${plural}`),
  none: forKinds((plural) => `No ${plural} yet`),
  noneHint: 'To link a shared one, press Link next to it, or drag it here.',
  allLinked: forKinds((plural) => `All shared ${plural} are linked.`),
  noShared: byKind((kind) => `shared/${kind} is empty.`),
  openInCatalog: 'Open in catalog',
  link: 'Link',
  linkLabel: (name: string): string => `Link ${name}`,
  unlink: 'Unlink',
  unlinkLabel: (name: string): string => `Unlink ${name}`,
  remove: 'Remove',
  removeLabel: (name: string): string => `Remove broken link ${name}`,
  repair: 'Repair',
  repairLabel: (name: string): string => `Repair ${name}: link it to the shared entry`,
  dropToLink: 'Drop here to link it',
  dropToUnlink: 'Drop here to unlink it',
  state: { shared: 'shared', elsewhere: 'link elsewhere', broken: 'broken link', local: 'local' },
  switchedOff: {
    shared: 'Linked, switched off',
    elsewhere: 'Link points elsewhere, switched off',
    local: 'Local, switched off',
  },
  switchedOffBy: 'This agent’s settings.json switches it off, so pi doesn’t load it.',
  pointsTo: 'Points to',
  junction: 'junction',
  junctionHint: 'Windows refused to create a symlink, so this is a junction. It breaks if you move the root.',
  junctionBroken: 'A junction stores a full path, so it breaks when the root moves.',
  targetNotFound: 'Target not found:',
  onlyHere: 'Only in this agent',
  taken: {
    elsewhere: 'A link with this name points elsewhere',
    broken: 'A broken link has this name',
    local: 'The agent has its own entry with this name',
  },
  done: {
    link: (name: string): string => `Linked ${name}`,
    unlink: (name: string): string => `Unlinked ${name}`,
    remove: (name: string): string => `Removed broken link ${name}`,
    repair: (name: string): string => `Repaired ${name}`,
  },
  failed: {
    link: (name: string): string => `${name} wasn’t linked`,
    unlink: (name: string): string => `${name} wasn’t unlinked`,
    remove: (name: string): string => `The broken link ${name} wasn’t removed`,
    repair: (name: string): string => `${name} wasn’t repaired`,
  },
  confirmTitle: (name: string): string => `Unlink ${name}?`,
  confirmBody: (target: string): string =>
    `This link points to ${target}, not to the catalog, so you can’t link it again here.`,
} as const;
