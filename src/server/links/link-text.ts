import type { LinkKind } from '../../shared/api/names.ts';

/** The text of a link to a shared entry: the same on every operating system, so that a root can be moved and shared. */
export const linkTextTo = (kind: LinkKind, name: string): string => `../../../shared/${kind}/${name}`;
