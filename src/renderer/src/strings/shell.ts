import { many } from './words.ts';

/** Strings for the frame around the pages, needed at startup. */
export const shell = {
  settings: 'Settings',
  palette: 'Search',
  paletteShort: 'Search',
  partFailed: 'Part of the page didn’t load',
  partFailedHint: 'Reload the page once dot-mi responds again.',
  reload: 'Reload the page',
  chooseRoot: 'Choose another root',
  seedMissing: 'The wallet’s backup words are missing, so you can’t receive.',
  fixSeed: 'Fix backup words…',
} as const;

/** Strings for the root switcher. */
export const roots = {
  label: (path: string): string => `Root: ${path}`,
  current: 'Open',
  agents: (count: number | null): string =>
    count === null ? 'no agents folder' : many(count, 'agent', 'agents'),
  openOther: 'Open another folder…',
  chooseFailed: 'The folder picker didn’t open',
  failed: 'The root wasn’t opened',
  signIn: 'Sign in to switch to another root.',
} as const;

/** Strings for the actions for an agent outside the page. */
export const tools = {
  more: (id: string): string => `More actions for ${id}`,
  reveal: 'Reveal in folder',
  openInEditor: (file: string): string => `Open ${file} in editor`,
  copyPath: 'Copy path',
  pathCopied: 'Copied the path',
  copyRunCommand: 'Copy run command',
  runCommandFailed: 'The run command wasn’t copied',
  runCommandCopied: 'Copied the run command',
  copyCommand: 'Copy command',
  run: 'Run',
  runInTerminal: 'Run in terminal',
  chooseAndRun: 'Run in terminal…',
  terminalOpened: (id: string): string => `Opened a terminal for ${id}`,
  noTerminal: 'dot-mi found no terminal, so it copied the run command',
  runFailed: (id: string): string => `${id} wasn’t run`,
  failed: 'dot-mi couldn’t open that',
} as const;
