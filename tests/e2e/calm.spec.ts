import { expect, test } from './fixtures.ts';

/** What keeps the page calm: one size of titles, one left edge, one mark for one problem. */
test.describe('the page is calm', () => {
  test.use({
    tree: {
      'agents/writer/SYSTEM.md': 'You write.\n',
      'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
    },
  });

  test('every page title has one size and one weight', async ({ page, served }) => {
    const sizes = new Map<string, string>();
    await page.goto(served.pageAt('/'));
    for (const path of [
      '/',
      '/agents',
      '/agents/scout/files/SYSTEM.md',
      '/catalog/skills',
      '/matrix/skills',
      '/wallet',
      '/pricing',
      '/connect',
      '/trash',
      '/settings',
    ]) {
      await page.goto(`${served.url}${path}`);
      const title = page.getByRole('heading', { level: 1 });
      await expect(title, path).not.toHaveText('Page not found');
      sizes.set(
        path,
        await title.evaluate((heading) => {
          const { fontSize, fontWeight } = getComputedStyle(heading);
          return `${fontSize} ${fontWeight}`;
        }),
      );
    }
    expect([...new Set(sizes.values())], JSON.stringify([...sizes])).toHaveLength(1);
  });

  test('the column of the wallet starts where its title does', async ({ page, served }) => {
    await page.setViewportSize({ width: 1600, height: 900 });
    await page.goto(served.pageAt('/wallet'));
    const left = async (name: 'heading' | 'region') =>
      (await page.getByRole(name, { name: name === 'heading' ? 'Wallet' : 'Balance' }).boundingBox())?.x;
    await expect.poll(() => left('region')).toBe(await left('heading'));
  });

  test('a broken link has one mark in its row, and is not counted as an error too', async ({
    page,
    served,
  }) => {
    await page.goto(served.pageAt('/agents/scout/skills'));
    const row = page.getByRole('option', { name: /^scout/ });
    await expect(row).toContainText('1 broken link');
    // Its checks are read, and have the same link.
    await expect(page.getByRole('link', { name: /^Checks 1/ })).toBeVisible();
    await expect(row).not.toContainText('error');
    const warn = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = 'var(--warn)';
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    });
    const marks = await page
      .getByRole('list', { name: 'Skills of this agent' })
      .getByRole('listitem')
      .filter({ hasText: 'gone' })
      .evaluate(
        (item, color) =>
          [item, ...item.querySelectorAll('*')].filter(
            (element) =>
              getComputedStyle(element).color === color &&
              getComputedStyle(element.parentElement ?? element).color !== color,
          ).length,
        warn,
      );
    expect(marks).toBe(1);
  });

  test('the overview fills its cards', async ({ page, served }) => {
    await page.goto(served.pageAt('/settings'));
    await expect(page.getByText('Connected')).toBeAttached();
    await page.getByRole('link', { name: 'Overview' }).click();
    await expect(page.getByRole('region', { name: 'Needs attention' })).toContainText('scout');
    const money = page.getByRole('region', { name: 'Totals in sats' });
    const empty = await money.evaluate((card) => {
      const table = card.querySelector('table')?.getBoundingClientRect();
      const { paddingBottom } = getComputedStyle(card);
      return card.getBoundingClientRect().bottom - Number.parseFloat(paddingBottom) - (table?.bottom ?? 0);
    });
    expect(empty).toBeLessThanOrEqual(1);
  });
});
