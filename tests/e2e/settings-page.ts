import type { Page } from '@playwright/test';

/** Opens a section of the settings: through the rail, or from another section. */
export const openSettings = async (page: Page, section: string): Promise<void> => {
  const sections = page.getByRole('navigation', { name: 'Sections of the settings' });
  if (!(await sections.isVisible())) await page.getByRole('link', { name: 'Settings' }).click();
  await sections.getByRole('link', { name: section }).click();
};
