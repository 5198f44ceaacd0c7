import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

/** What the page shows as open, and its heading, after each change on it. */
interface Shown {
  readonly current: readonly string[];
  readonly heading: string | undefined;
}

/** Notes what the page shows after each change, until `read`. React commits each step at once, so no step is missed. */
const watchChanges = async (page: Page) => {
  const seen = await page.evaluateHandle(() => {
    const shown: Shown[] = [];
    new MutationObserver(() => {
      const current = [...document.querySelectorAll('[aria-current="page"]')].map(
        (link) => link.textContent?.trim() ?? '',
      );
      shown.push({ current, heading: document.querySelector('main h1')?.textContent ?? undefined });
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
    return shown;
  });
  return { read: (): Promise<Shown[]> => seen.jsonValue() };
};

test('what was pressed shows at once that it opens, before its view is drawn', async ({ page, served }) => {
  await page.goto(served.pageAt('/settings'));
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  const rail = page.getByRole('navigation', { name: 'Main' });

  const ofRail = await watchChanges(page);
  await rail.getByRole('link', { name: 'Pricing' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Pricing' })).toBeVisible();
  expect(await ofRail.read()).toContainEqual({
    // Its name may have a note, such as that it needs attention.
    current: expect.arrayContaining([expect.stringMatching(/^Pricing/)]),
    heading: 'Settings',
  });

  await page.goto(served.pageAt('/agents/scout/skills'));
  await expect(page.getByRole('button', { name: 'Link git-summary', exact: true })).toBeVisible();
  const ofTabs = await page.evaluateHandle(() => {
    const shown: string[] = [];
    new MutationObserver(() => {
      const tab = document.querySelector('main nav [aria-current="page"]')?.textContent ?? '';
      const hasSkills = document.querySelector('main [aria-label^="Link git-summary"]') !== null;
      shown.push(`${tab.trim().replace(/\s.*/, '')}, ${hasSkills ? 'skills' : 'other view'}`);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
    return shown;
  });
  await page
    .getByRole('navigation', { name: 'Sections of scout' })
    .getByRole('link', { name: 'Sessions' })
    .click();
  await expect(page.getByRole('button', { name: 'Link git-summary', exact: true })).toBeHidden();
  const steps = await ofTabs.jsonValue();
  expect(steps).toContain('Sessions, skills');
  expect(steps.at(-1)).toBe('Sessions, other view');
});
