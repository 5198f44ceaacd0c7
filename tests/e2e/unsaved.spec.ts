import { expect } from './fixtures.ts';
import { pricingPage } from './pricing-page.ts';
import { asOperator, openWallet, simulatedToken, walletTest as test, walletPage } from './wallet-page.ts';

test('what is typed stays when one leaves by the rail, by Back or by a reload, and only a token asks first', async ({
  page,
  served,
  mint,
}) => {
  await asOperator(served, 'receive', { token: mint.issue(1001) });
  const { open, close, amount, memo } = await openWallet(page, served);
  await open('Send');
  await amount.fill('12');
  await memo.fill('for tea');
  await close();
  const leaveAndReturn = async (): Promise<void> => {
    await page.goBack();
    await expect(page.getByRole('heading', { name: 'Wallet', level: 1 })).toBeVisible();
    await page.goForward();
  };
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('button', { name: 'New agent' }).first().click();
  const id = page.getByRole('textbox', { name: 'Agent id' });
  await id.fill('half-a-na');
  await leaveAndReturn();
  await expect(id).toHaveValue('half-a-na');
  await id.press('Escape');
  await expect(id).toHaveCount(0);
  await page.goBack();

  await page.getByRole('link', { name: 'Pricing' }).click();
  // Screen readers hear which page was opened.
  await expect(page.getByRole('status').filter({ hasText: /^Pricing$/ })).toBeAttached();

  const at = pricingPage(page);
  await at.models
    .getByRole('button', { name: /^Input price of / })
    .first()
    .click();
  await page.keyboard.type('7.5');
  await leaveAndReturn();
  const cell = at.models.getByRole('textbox', { name: /^Input price of / });
  await expect(cell).toHaveValue('7.5');
  await cell.press('Escape');
  await expect(cell).toHaveCount(0);

  await at.models.getByRole('button', { name: 'Add model…' }).click();
  const name = page.getByRole('dialog', { name: 'Add a model' }).getByRole('textbox', { name: /^Name/ });
  await name.fill('my-model');
  await leaveAndReturn();
  await expect(name).toHaveValue('my-model');
  await page.keyboard.press('Escape');
  await expect(name).toHaveCount(0);

  await at.models.getByRole('button', { name: 'Import prices…' }).click();
  await at.dialog.getByRole('radio', { name: /^Text or file/ }).check();
  const text = at.dialog.getByRole('textbox');
  await text.fill('{"half":');
  await leaveAndReturn();
  await expect(text).toHaveValue('{"half":');

  // A reload asks nothing, and loses nothing.
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.type());
    void dialog.accept();
  });
  await page.reload();
  await expect(text).toHaveValue('{"half":');
  expect(dialogs).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Wallet' }).click();
  await open('Send');
  await expect(amount).toHaveValue('12');
  await expect(memo).toHaveValue('for tea');

  // SECURITY: a token is in memory only, so leaving the page would lose it.
  await open('Receive');
  await walletPage(page).field.fill(simulatedToken(5));
  await page.reload();
  expect(dialogs).toEqual(['beforeunload']);
});
