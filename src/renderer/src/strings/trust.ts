/** Strings for trusting a root. */
export const trust = {
  title: 'Do you trust the authors of this folder?',
  description: (script: string): string =>
    `To create an agent, dot-mi runs ${script} from this folder, with your permissions. If you don’t know who wrote it, read it first.`,
  descriptionUnread: 'Agents and scripts from this folder run with your permissions.',
  descriptionNoScript:
    'Agents from this folder run with your permissions. If you don’t know who wrote them, read their files first.',
  folder: 'Folder',
  changedTitle: (script: string): string => `${script} changed since you trusted it`,
  changed: 'Trust it again only if you know why it changed.',
  changedMeanwhile: (script: string): string =>
    `${script} changed while this was open. This is the new version.`,
  show: (script: string): string => `Show ${script}`,
  hide: (script: string): string => `Hide ${script}`,
  text: (script: string): string => `Text of ${script}`,
  facts: (size: number, sha256: string): string =>
    `${size.toLocaleString('en')} bytes, SHA-256 ${sha256.slice(0, 16)}…`,
  truncated: (bytes: number): string =>
    `Only the first ${bytes.toLocaleString('en')} bytes are shown. Read the rest in an editor.`,
  notText: 'This script isn’t text. Trust it only if you know where it comes from.',
  noScript: 'This folder has no setup script.',
  refuse: 'Don’t trust',
  trustAndCreate: 'Trust and create',
  trustOnly: 'Trust this folder',
  trusting: 'Trusting…',
  needsTokenTitle: 'This needs the operator token',
  needsToken:
    'Open the link dot-mi printed in your terminal (it ends in #token=…) and create the agent there. Or restart dot-mi with --trust-root.',

  isTrusted: 'You trust this folder',
  isTrustedHint: (script: string): string =>
    `dot-mi runs ${script} to create agents, and asks again when it changes.`,
  isNew: 'You haven’t trusted this folder yet',
  isNewHint: (script: string): string => `You can’t create agents until you trust its ${script}.`,
  isTrustedNoScript: 'dot-mi runs this folder’s agents, and asks again if a setup script appears.',
  isNewNoScript: 'dot-mi won’t run this folder’s agents.',
  isChanged: (script: string): string => `${script} changed since you trusted this folder`,
  review: (script: string): string => `Review ${script}…`,
  reviewNoScript: 'Review folder…',
  withdraw: 'Stop trusting',
  withdrawn: 'dot-mi won’t run anything from this folder',
  nowTrusted: 'You trust this folder now',
  failed: 'The change wasn’t saved',
} as const;
