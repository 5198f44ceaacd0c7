import type { QueryClient } from '@tanstack/react-query';
import type { Page } from '../routes.ts';
import type { ShortcutId } from './shortcuts.ts';

/** What a command may look at and act on. */
export interface CommandContext {
  readonly page: Page;
  readonly client: QueryClient;
  readonly navigate: (path: string) => void;
  /** Opens another of the overlays. */
  readonly show: (overlay: 'quickOpen' | 'shortcuts') => void;
}

/** Something the command palette can do. */
export interface Command {
  /** Unlike every other: `agents.new`. */
  readonly id: string;
  readonly title: string;
  /** Of its group in the palette. */
  readonly group: string;
  /** Other words that find it. */
  readonly keywords?: string;
  readonly shortcut?: ShortcutId;
  readonly run: () => void;
}

/** What a feature contributes: the commands that make sense now. `app-commands.ts` lists the contributors. */
export type CommandSource = (context: CommandContext) => readonly Command[];
