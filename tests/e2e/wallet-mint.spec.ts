import { freePort } from '../support/free-port.ts';
import { startTestMint } from '../support/mint/test-mint.ts';
import { expect } from './fixtures.ts';
import { openWallet, walletTest as test } from './wallet-page.ts';

// Not in the environment, where the window can't change it.
test.use({ environment: {} });

test('goes real only at a mint that uses sats, and says what is wrong with another', async ({
  page,
  served,
  mint,
}) => {
  await openWallet(page, served);
  await page.getByRole('button', { name: 'Use real money…' }).click();
  const sheet = page.getByRole('dialog', { name: 'Use real money' });
  const step = sheet.locator('[aria-current="step"]');
  const field = sheet.getByRole('textbox', { name: 'Mint' });
  const next = sheet.getByRole('button', { name: 'Continue' });

  await field.fill('nonsense');
  await next.click();
  await expect(field).toHaveAccessibleDescription(/Enter the mint’s web address/);

  const dead = `127.0.0.1:${await freePort()}`;
  await field.fill(`http://${dead}`);
  await next.click();
  await expect(field).toHaveAccessibleDescription(
    new RegExp(`No mint responds at ${dead}\\. Check the address in the Mint field`),
  );
  await expect(field).toBeFocused();
  await expect(step).toContainText('Choose the mint');
  await expect(field).toHaveValue(`http://${dead}`);

  // A server that isn't a mint: dot-mi itself.
  await field.fill(served.url);
  await expect(field).not.toHaveAccessibleDescription(/No mint answers/);
  await next.click();
  await expect(field).toHaveAccessibleDescription(/isn’t a mint/);

  const dollars = await startTestMint({ keysets: [{ unit: 'usd' }] });
  await field.fill(dollars.url);
  await next.click();
  await expect(field).toHaveAccessibleDescription(/dot-mi test mint doesn’t issue ecash in sats/);
  await dollars.close();
  await expect(step).toContainText('Choose the mint');
  await expect(sheet).not.toContainText('MINT_URL');

  await field.fill(mint.url);
  await next.click();
  await expect(step).toContainText('Switch to real money');
  expect(mint.requests().map(({ path }) => path)).toContain('/v1/info');
});
