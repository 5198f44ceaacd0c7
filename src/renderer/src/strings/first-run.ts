import { many } from './words.ts';

/** Strings for the first run. */
export const firstRun = {
  title: 'Welcome to dot-mi',
  description: 'Run and edit your local agents, and get paid for their work.',
  samplesHeading: 'New here?',
  samplesHint: 'A scout, a writer and a translator. Change them as you like, and sell the translator’s work.',
  samplesUse: 'Start with three sample agents',
  samplesPlace: 'They’re in',
  folderHeading: 'Open a folder',
  foundFolders: 'Folders with agents',
  agents: (count: number): string => many(count, 'agent', 'agents'),
  open: 'Open',
  openLabel: (path: string): string => `Open ${path}`,
  folder: 'Folder',
  folderHint: 'A folder with agents/ and shared/, such as ~/dot-mi.',
  folderOpen: 'Open folder',
  opening: 'Opening…',
  laterHint: 'You can open another one later.',
  later: 'Look around first',
} as const;

/** Strings for the short checklist after the first run. */
export const firstSteps = {
  label: (id: string): string => `First steps with ${id}`,
  heading: 'First steps',
  steps: {
    model: 'Choose its model',
    edit: 'Edit its prompt',
    link: 'Give it a skill',
    run: 'Run it',
    pay: 'Get paid',
  },
  /** Replaces `run` where dot-mi can't open a terminal. */
  copyRun: 'Copy its run command',
  done: '(done)',
  /** Shown while the copied command hasn't run yet. */
  copiedRun: 'Copied the run command: paste it into a terminal',
  allDone: {
    opened: 'That’s it. Your agent runs in a terminal.',
    copied: 'That’s it. Paste the run command into a terminal.',
  },
  dismiss: 'Dismiss first steps',
} as const;
