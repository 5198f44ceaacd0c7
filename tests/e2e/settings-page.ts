import type { Page } from '@playwright/test';

/** Opens a section of the settings, through the rail. */
export const openSettings = async (page: Page, section: string): Promise<void> => {
  await page.getByRole('link', { name: 'Settings' }).click();
  const sections = page.getByRole('navigation', { name: 'Sections of the settings' });
  await sections.getByRole('link', { name: section }).click();
};
