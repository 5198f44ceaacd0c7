import type { LinkKind } from '../../shared/api/names.ts';

/** The text of a link to a shared entry. It is the same on every system, so that a root can be moved. */
export const linkTextTo = (kind: LinkKind, name: string): string => `../../../shared/${kind}/${name}`;
