import { lstat } from 'node:fs/promises';
import { makeSession } from '../support/session-file.ts';
import { choose } from './agent-menu.ts';
import { expect, test } from './fixtures.ts';

const spent = makeSession({ startedAtMs: Date.now() - 1_000 });
spent.call({ input: 1_000, usd: 1.7 });

test.describe('the budget of an agent', () => {
  test.use({ tree: { [`agents/scout/sessions/${spent.fileName}`]: spent.text() } });

  test('is set by keyboard, shown where the agent is, and refuses what is no limit', async ({
    page,
    served,
  }) => {
    await page.goto(served.pageAt('/agents/scout/files/SYSTEM.md'));
    await choose(page, 'scout', 'Budget…', 'by keys');
    const dialog = page.getByRole('dialog', { name: 'Budget for scout', exact: true });
    await dialog.getByLabel('Dollars a day').fill('0');
    await expect(dialog.getByText('Enter an amount above 0, such as 2.50, or leave it empty.')).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Save budget' })).toBeDisabled();
    await dialog.getByLabel('Dollars a day').fill('2');
    await dialog.getByLabel('Sats a month').fill('50,000');
    // The limits that exist have to be known first.
    await expect(dialog.getByRole('button', { name: 'Save budget' })).toBeEnabled();
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    const chip = page.getByRole('list', { name: 'About scout' }).getByRole('button', { name: /budget/i });
    await expect(chip).toHaveText('85% of budget used');
    await expect(page.getByRole('option', { name: /scout.*85% of budget used/ })).toBeVisible();
    await chip.press('Enter');
    await expect(dialog.getByText('$1.70 used today')).toBeVisible();
    await dialog.getByLabel('Dollars a day').fill('1.5');
    await dialog.getByRole('button', { name: 'Save budget' }).click();
    await expect(chip).toHaveText('Budget used up');
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('link', { name: 'scout has used its budget' }).click();
    await expect(chip).toBeVisible();
    // Without limits nothing about a budget is left.
    await chip.click();
    await dialog.getByLabel('Dollars a day').fill('');
    await dialog.getByLabel('Sats a month').fill('');
    await dialog.getByRole('button', { name: 'Save budget' }).click();
    await expect(chip).toHaveCount(0);
  });
});

test.describe('the budget of an agent in a root with the guard', () => {
  test.use({ tree: { 'shared/extensions/budget-guard.ts': 'export default () => {};\n' } });

  test('links the guard with a first budget, and unlinks it when its box is unchecked', async ({
    page,
    served,
  }) => {
    await page.goto(served.pageAt('/agents/scout/files/SYSTEM.md'));
    const linked = () => lstat(served.agent('scout/extensions/budget-guard.ts')).catch(() => null);
    const dialog = page.getByRole('dialog', { name: 'Budget for scout', exact: true });
    const guard = dialog.getByRole('checkbox', { name: 'Also stop a run when the agent reaches its limit' });
    const save = async (dollars: string) => {
      await dialog.getByLabel('Dollars a day').fill(dollars);
      await expect(dialog.getByRole('button', { name: 'Save budget' })).toBeEnabled();
      await page.keyboard.press('Enter');
      await expect(dialog).toBeHidden();
    };
    await choose(page, 'scout', 'Budget…', 'by keys');
    await expect(guard).toBeChecked();
    await guard.press('Space');
    await save('2');
    await expect(page.getByText('Saved the budget for scout')).toBeVisible();
    expect(await linked()).toBeNull();
    // Whoever decided against it isn't overruled, but can change their mind with one press.
    await choose(page, 'scout', 'Budget…', 'by keys');
    await expect(guard).not.toBeChecked();
    await guard.press('Space');
    await save('3');
    await expect(page.getByText('budget-guard.ts')).toHaveCount(0);
    expect((await linked())?.isSymbolicLink()).toBe(true);
    await choose(page, 'scout', 'Budget…', 'by keys');
    await expect(dialog.getByLabel('Dollars a day')).toHaveValue('3');
    await expect(guard).toBeChecked();
    await guard.press('Space');
    await save('4');
    expect(await linked()).toBeNull();
    await choose(page, 'scout', 'Budget…', 'by keys');
    await expect(guard).not.toBeChecked();
    await guard.press('Space');
    await save('5');
    expect((await linked())?.isSymbolicLink()).toBe(true);
    // Without a limit the guard would only keep the agent from starting while dot-mi isn't running.
    await choose(page, 'scout', 'Budget…', 'by keys');
    await expect(guard).toBeChecked();
    await save('');
    expect(await linked()).toBeNull();
  });
});
