import type { Page } from 'playwright';
import type { Scene, Site } from './serve-scene.ts';

/** A view to take a picture of: its path, and what to do and wait for there. */
export interface View {
  readonly name: string;
  readonly path: string;
  /** Defaults to `used`. */
  readonly site?: Site;
  readonly ready: (page: Page, scene: Scene) => Promise<unknown>;
  /** Reverts what other pictures must not show. */
  readonly after?: (scene: Scene) => unknown;
}

/** Waits for a text. */
export const sees =
  (text: string | RegExp) =>
  (page: Page): Promise<void> =>
    page.getByText(text).first().waitFor();

/** Waits for a heading. */
export const heading =
  (name: string | RegExp, level = 1) =>
  (page: Page): Promise<void> =>
    page.getByRole('heading', { name, level }).waitFor();

/** Presses a button and waits for the dialog it opens. */
export const opens =
  (button: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: button }).first().click();
    await page.getByRole('dialog').or(page.getByRole('alertdialog')).first().waitFor();
  };

/** Chooses an action of the menu in an agent's header, and waits for the dialog it opens. */
export const chooses =
  (action: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: /^More actions/ }).click();
    await page.getByRole('menuitem', { name: action }).click();
    await page.getByRole('dialog').first().waitFor();
  };

/** Opens a sheet of the wallet. */
export const opensSheet = async (page: Page, name: 'Receive' | 'Send' | 'Backup'): Promise<void> => {
  const button = name === 'Backup' ? /^(Not b|B)acked up$/ : new RegExp(`^${name}$`);
  await page.getByRole('main').getByRole('button', { name: button }).click();
  await page.getByRole('dialog', { name, exact: true }).waitFor();
};

/** Presses keys and waits for the dialog they open. */
export const presses =
  (keys: string, dialog: string) =>
  async (page: Page): Promise<void> => {
    await page.getByText('Connected').waitFor({ state: 'attached' });
    await page.keyboard.press(keys);
    await page.getByRole('dialog', { name: dialog }).waitFor();
  };

/** Reloads the page without its event stream, as if the server were offline. Then runs `then`. */
export const offline =
  (then: View['ready']): View['ready'] =>
  async (page, scene) => {
    await page.route('**/api/events', (route) => route.abort());
    await page.reload();
    await page.getByText('Offline: the API isn’t responding').waitFor();
    await then(page, scene);
  };

/** The editor of an agent's SYSTEM.md. */
export const editor = (page: Page) => page.getByRole('textbox', { name: /SYSTEM.md/ });

/** Types at the end of the open file. */
export const types = async (page: Page, text = 'Typed here. '): Promise<void> => {
  await editor(page).press('Control+End');
  await page.keyboard.type(text);
};
