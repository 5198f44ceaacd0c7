import type { Page } from '@playwright/test';
import type { TestMint } from '../support/mint/test-mint.ts';
import { expect, type Served } from './fixtures.ts';
import type { Source } from './pricing-page.ts';

/** A page on a server, with what is behind that. */
export interface Scene {
  readonly page: Page;
  readonly served: Served;
  readonly mint: TestMint;
  readonly source: Source;
}

/** A state of the page that is looked at. They follow one another on one page: a view finds what the one before left. */
export interface View {
  readonly name: string;
  /** Where it is; none for what comes next where the view before was. */
  readonly path?: string;
  /** Brings the page there, and waits until it is there. */
  readonly ready: (scene: Scene) => Promise<unknown>;
  /** What of it is new, as a CSS selector; none for everything. */
  readonly part?: string;
  /** Whether it is only for pictures, because axe finds in other views what it would find here. */
  readonly isOnlyPictured?: true;
  /** Puts back what no other view is to find. */
  readonly after?: (scene: Scene) => Promise<unknown>;
}

/** The longest name of a file, without a place to break it. */
export const LONG = `long${'supercalifragilisticexpialidocious'.repeat(8)}`.slice(0, 250);

/** The longest id of an agent. */
export const LONG_ID = LONG.slice(0, 64);

/** As long as the memo of a token may be, without a place to break its first word. */
export const LONG_MEMO = `${LONG.slice(0, 120)} ${'and some more words '.repeat(43)}`.trim();

/** The largest amount, in sat. */
export const ALL_SATS = 2_100_000_000_000_000;

/** What is opened on top: a dialog, a question, a menu or a popover. Toasts have the role of dialogs, too. */
export const ON_TOP = ':is([role="dialog"], [role="alertdialog"], [role="menu"]):not([role="region"] *)';

/** Waits for a text. */
export const sees =
  (text: string) =>
  ({ page }: Scene): Promise<void> =>
    expect(page.getByText(text).first()).toBeVisible();

/** Waits for the heading of a page. */
export const heading =
  (name: string) =>
  ({ page }: Scene): Promise<void> =>
    expect(page.getByRole('heading', { name, level: 1 })).toBeVisible();

/** Waits for what is opened on top. */
export const onTop = (page: Page, name?: string | RegExp): Promise<void> => {
  const named = name === undefined ? {} : { name };
  const dialog = page.getByRole('dialog', named).or(page.getByRole('alertdialog', named));
  return expect(dialog.or(page.getByRole('menu', named))).toBeVisible();
};

/** Opens something on top by its button. */
export const opens =
  (button: string | RegExp, name?: string | RegExp) =>
  async ({ page }: Scene): Promise<void> => {
    await page.getByRole('button', { name: button }).first().click();
    await onTop(page, name);
  };
