/** Texts of the frame around the pages that are needed at once. */
export const shell = {
  settings: 'Settings',
  palette: 'Search commands',
  paletteShort: 'Search',
  partFailed: 'A part of the page did not load',
  partFailedHint: 'Reload the page once dot-mi answers again.',
  reload: 'Reload the page',
  chooseRoot: 'Choose another root',
  seedMissing: 'The wallet’s backup words are missing. You can send, but you can’t receive.',
  fixSeed: 'Fix backup words…',
} as const;

/** Texts of what can be done with an agent outside of the page. */
export const tools = {
  more: (id: string): string => `More actions for ${id}`,
  reveal: 'Reveal in folder',
  openInEditor: (file: string): string => `Open ${file} in editor`,
  copyPath: 'Copy path',
  pathCopied: 'The path is in the clipboard',
  copyRunCommand: 'Copy run command',
  runCommandCopied: 'The run command is in the clipboard',
  untrustedRunCommandCopied:
    'The run command is in the clipboard. You haven’t trusted this folder: read pi-args and the extensions before you run it.',
  failed: 'The desktop could not do that',
} as const;
