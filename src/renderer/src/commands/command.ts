import type { QueryClient } from '@tanstack/react-query';
import type { Page } from '../routes.ts';
import type { ShortcutId } from './shortcuts.ts';

/** The state and functions that a command may use. */
export interface CommandContext {
  readonly page: Page;
  readonly client: QueryClient;
  readonly navigate: (path: string) => void;
  /** Opens another overlay. */
  readonly show: (overlay: 'shortcuts') => void;
}

/** Something the command palette can do. */
export interface Command {
  /** Unique, such as `agents.new`. */
  readonly id: string;
  readonly title: string;
  /** The heading of its group in the palette. */
  readonly group: string;
  /** Other words that find it. */
  readonly keywords?: string;
  readonly shortcut?: ShortcutId;
  readonly run: () => void;
}

/** A feature's commands that make sense now. `app-commands.ts` lists the contributors. */
export type CommandSource = (context: CommandContext) => readonly Command[];
