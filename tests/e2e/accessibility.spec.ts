import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { FULL_ROOT, fillTrash, VIEWS, visit } from './views.ts';

test.use({ tree: FULL_ROOT });

// A dozen and more views each, and axe looks at every element.
test.describe.configure({ timeout: 120_000 });

/** What axe finds, short enough to read. */
const violationsOf = async (page: Page, rules?: string[]): Promise<string[]> => {
  // Half transparent text has no contrast to speak of: what moves in is there first.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  );
};

for (const colorScheme of ['light', 'dark'] as const) {
  test(`axe finds no violation on any view, ${colorScheme}`, async ({ page, served }) => {
    await fillTrash(page, served.url);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.goto(served.pageUrl);
    for (const { name, path, ready } of VIEWS) {
      await visit(page, path);
      await ready(page);
      // In the dark only the colours are others.
      const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined;
      expect.soft(await violationsOf(page, rules), name).toEqual([]);
    }
  });
}

test.describe('nothing', () => {
  test.use({ tree: {} });

  test('axe finds no violation where there is nothing yet, and where the API is away', async ({
    page,
    served,
  }) => {
    await page.request.delete(`${served.url}/api/agents/scout`, { data: { confirm: 'scout' } });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(served.pageUrl);
    for (const [path, title] of [
      ['/', 'No agents yet'],
      ['/catalog', 'git-summary'],
      ['/trash', 'scout'],
    ] as const) {
      await visit(page, path);
      await expect(page.getByText(title).first()).toBeVisible();
      expect.soft(await violationsOf(page), path).toEqual([]);
    }
    await page.route('**/api/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Wallet' }).click();
    await expect(page.getByRole('alert').first()).toBeVisible();
    expect.soft(await violationsOf(page), 'offline').toEqual([]);
  });
});

/** Controls that stand outside of the window and of everything that scrolls: nobody can reach them. */
const unreachable = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>(
      'a[href], button, input, textarea, [tabindex="0"]',
    );
    return [...controls].flatMap((control) => {
      if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return [];
      control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      const { left, right, top, bottom, width } = control.getBoundingClientRect();
      const isHidden = width <= 1 || control.closest('[aria-hidden="true"], [inert]') !== null;
      const isInside = right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
      return isHidden || isInside ? [] : [control.outerHTML.slice(0, 160)];
    });
  });

for (const [name, viewport] of [
  ['800 × 600', { width: 800, height: 600 }],
  // A window of 1280 × 800 at 200 %.
  ['200 % zoom', { width: 640, height: 400 }],
] as const) {
  test(`every view fits at ${name}: nothing hangs out sideways, every control can be reached`, async ({
    page,
    served,
  }) => {
    await fillTrash(page, served.url);
    await page.setViewportSize(viewport);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(served.pageUrl);
    for (const { name: view, path, ready } of VIEWS) {
      await visit(page, path);
      await ready(page);
      const widths = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.body.scrollWidth,
        document.querySelector('main')?.scrollWidth ?? 0,
        document.querySelector('main')?.clientWidth ?? 0,
      ]);
      const [root = 0, body = 0, inner = 0, main = 0] = widths;
      expect
        .soft([Math.max(root, body) <= viewport.width, inner <= main], `${view}: ${widths}`)
        .toEqual([true, true]);
      expect.soft(await unreachable(page), view).toEqual([]);
    }
  });
}
