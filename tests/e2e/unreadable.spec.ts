import { expect, test } from './fixtures.ts';

test.use({
  tree: {
    'agents/large/SYSTEM.md': 'x'.repeat(2 * 1024 * 1024 + 1),
    'agents/binary/SYSTEM.md': 'You are a scout.\0\n',
  },
});

for (const [id, reason] of [
  ['large', 'is larger than the limit of 2 MiB'],
  ['binary', 'contains NUL bytes'],
] as const) {
  test(`a SYSTEM.md that ${reason} says so in the header, the file, the prompt and the checks`, async ({
    page,
    served,
  }) => {
    await page.goto(served.pageAt(`/agents/${id}/files/SYSTEM.md`));
    const chip = page.getByRole('button', { name: `Tokens unknown: SYSTEM.md ${reason}` });
    await expect(chip).toBeVisible();
    await chip.click();
    await expect(page.getByRole('dialog')).toContainText(`SYSTEM.md ${reason}, so dot-mi can’t count`);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('main')).toContainText(
      id === 'large' ? 'larger than the limit of 2 MiB' : 'contains NUL bytes',
    );
    await page.getByRole('link', { name: 'Preview', exact: true }).click();
    await expect(page.getByRole('list', { name: 'About this prompt' })).toContainText(`SYSTEM.md ${reason}`);
    await expect(page.getByRole('main')).not.toContainText('missing or empty');
    await expect(page.getByRole('main')).not.toContainText(/\d+ tokens/);
    await page.getByRole('link', { name: /^Checks/ }).click();
    await expect(page.getByRole('region', { name: 'Problems in SYSTEM.md' })).toContainText(
      'so dot-mi can’t check it or count its tokens',
    );
  });
}
