import type { Page } from '@playwright/test';
import { type How, pressOn } from './keyboard.ts';

/** Chooses an action of the menu in the header of an agent. */
export const choose = async (
  page: Page,
  id: string,
  action: string,
  how: How = 'by mouse',
): Promise<void> => {
  await pressOn(page, page.getByRole('button', { name: `More actions for ${id}` }), how);
  const item = page.getByRole('menuitem', { name: action });
  if (how === 'by mouse') return item.click();
  // The first letter of an item moves to it.
  await page.getByRole('menuitem').first().waitFor();
  await page.keyboard.type(action.slice(0, 3));
  await page.keyboard.press('Enter');
};
