/** Texts of the frame around the pages that are needed from the start. */
export const shell = {
  settings: 'Settings',
  palette: 'Search commands',
  paletteShort: 'Search',
  partFailed: 'Part of the page didn’t load',
  partFailedHint: 'Reload the page once dot-mi answers again.',
  reload: 'Reload the page',
  chooseRoot: 'Choose another root',
  seedMissing: 'The wallet’s backup words are missing. You can send, but you can’t receive.',
  fixSeed: 'Fix backup words…',
} as const;

/** Texts of the actions for an agent outside the page. */
export const tools = {
  more: (id: string): string => `More actions for ${id}`,
  reveal: 'Reveal in folder',
  openInEditor: (file: string): string => `Open ${file} in editor`,
  copyPath: 'Copy path',
  pathCopied: 'Copied the path',
  copyRunCommand: 'Copy run command',
  runCommandFailed: 'The run command wasn’t copied, because pi-args can’t be read',
  runCommandCopied: 'Copied the run command',
  untrustedRunCommandCopied:
    'Copied the run command. You haven’t trusted this folder, so read pi-args and the extensions before you run it.',
  failed: 'dot-mi couldn’t open that',
} as const;
