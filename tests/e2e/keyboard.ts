import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/** Presses Tab until a control has the focus: as a person without a mouse gets there. */
export const tabTo = async (page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> => {
  // A control that isn't there fails here, and not after the time of the whole test.
  await expect(target).toBeAttached();
  for (let presses = 0; presses < 60; presses++) {
    // Also where the editor is: in a shadow tree, of which the document knows the host alone.
    if (await target.evaluate((element) => element.matches(':focus'))) return;
    await page.keyboard.press(key);
  }
  await expect(target).toBeFocused();
};

/** With what a person presses a control. */
export type How = 'by mouse' | 'by keys';

/** Presses a control: with the mouse, or by going there with Tab and pressing Enter. */
export const pressOn = async (
  page: Page,
  target: Locator,
  how: How,
  key?: 'Tab' | 'Shift+Tab',
): Promise<void> => {
  if (how === 'by mouse') return target.click();
  await tabTo(page, target, key);
  await page.keyboard.press('Enter');
};
