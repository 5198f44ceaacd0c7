import { readFileSync, writeFileSync } from 'node:fs';
import { violationsInBothThemes } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { pressOn } from './keyboard.ts';

const TEXT = '{\n\t"mine": 1,\n\t"compaction": { "keepRecentTokens": 20000 }\n}\n';

test.use({ tree: { 'agents/scout/settings.json': TEXT } });

test('pi settings are changed and undone by keys, keep what pi doesn’t know, and follow the disk', async ({
  page,
  served,
}) => {
  const path = served.agent('scout/settings.json');
  await page.goto(served.pageAt('/agents/scout/settings'));
  const view = page.getByRole('region', { name: 'pi settings of scout' });
  await expect(view).toContainText('1 other key in settings.json stay');
  await expect(view.getByRole('button', { name: 'Copy path of settings.json' })).toBeVisible();
  expect(await violationsInBothThemes(page, 'main')).toEqual([]);

  await page.keyboard.press('/');
  await page.keyboard.type('keepRecent');
  const tokens = view.getByRole('textbox', { name: 'compaction.keepRecentTokens' });
  await expect(view.getByRole('textbox')).toHaveCount(2);
  await tokens.fill('many');
  await tokens.press('Enter');
  await expect(view.getByRole('alert')).toHaveText('Enter a number.');
  await tokens.fill('30,000');
  await tokens.press('Enter');
  await expect(tokens).toHaveValue('30000');
  await expect(tokens).toBeFocused();
  expect(readFileSync(path, 'utf8')).toBe(TEXT.replace('20000', '30000'));

  await pressOn(page, page.getByRole('button', { name: 'Undo' }), 'by keys');
  await expect(tokens).toHaveValue('20000');
  expect(readFileSync(path, 'utf8')).toBe(TEXT);

  // Another program edits the file while a value is typed.
  await tokens.fill('40000');
  writeFileSync(path, '{"hideThinkingBlock": true}');
  await expect(view.getByRole('button', { name: 'Use default for compaction.keepRecentTokens' })).toHaveCount(
    0,
  );
  await tokens.press('Enter');
  await expect
    .poll(() => JSON.parse(readFileSync(path, 'utf8')))
    .toEqual({
      hideThinkingBlock: true,
      compaction: { keepRecentTokens: 40_000 },
    });
});
