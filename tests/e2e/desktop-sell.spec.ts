import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { installPi } from '../support/pi-program.ts';
import { expect, expectAgents, test } from './desktop-fixtures.ts';

const argv = ['--trust-root'];

test('a service ends with the app, starts with it again, and ends when the app crashes', async ({
  place,
}) => {
  const environment = {
    // Nothing answers there: nobody buys here.
    MINT_URL: 'http://127.0.0.1:9',
    DEV_MODE: 'false',
    PATH: await installPi(join(place.directory, 'pi'), '1.5.2'),
  };
  const first = await place.launch({ environment, argv });
  const page = await first.page();
  await expectAgents(page);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/v1`;
  await page.goto(`${new URL(page.url()).origin}/agents/scout/sell`);
  await page.getByRole('button', { name: 'Flat price' }).click();
  await page.getByRole('checkbox', { name: 'Start selling when dot-mi starts' }).check();
  await page.getByRole('button', { name: 'Limits and address' }).click();
  await page.getByLabel('Port').fill(String(port));
  await page.getByRole('main').getByRole('button', { name: 'Sell', exact: true }).click();
  await page.getByRole('button', { name: 'Sell without tools' }).click();
  await expect(page.getByRole('region', { name: 'For sale', exact: true })).toContainText(
    'Customers can buy',
  );
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  expect(await answers()).toBe(true);
  await first.quit();
  expect(await answers()).toBe(false);

  const second = await place.launch({ environment });
  await expectAgents(await second.page());
  await expect.poll(answers).toBe(true);
  await second.kill();
  await expect.poll(answers).toBe(false);
});
