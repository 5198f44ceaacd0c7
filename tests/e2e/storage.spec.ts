import { editor, onDisk } from './editor.ts';
import { expect, test } from './fixtures.ts';

/** What the browser does with the page's data. Each runs in the page before its own scripts. */
const BROWSERS = {
  'blocks site data': () => {
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        },
      });
    }
  },
  'has no room': () => {
    const refuse = () => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    };
    Storage.prototype.setItem = refuse;
    IDBObjectStore.prototype.put = refuse;
  },
  'never answers': () => {
    // As if this browser were signed in automatically, so that the page waits for the key.
    localStorage.setItem('dot-mi.keeps-signed-in', 'key');
    IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest;
  },
} as const;

test('the page works, and says so, where the browser stores nothing, has no room or never responds', async ({
  browser,
  served,
}) => {
  test.slow();
  for (const [name, breakStorage] of Object.entries(BROWSERS)) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const errors: unknown[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.addInitScript(breakStorage);
    await page.goto(`${served.url}/agents/scout/files/SYSTEM.md${new URL(served.pageUrl).hash}`);
    await editor(page).fill(`Typed in a browser that ${name}.\n`);
    await page.keyboard.press('ControlOrMeta+S');
    await expect.poll(() => onDisk(served)).toBe(`Typed in a browser that ${name}.\n`);
    await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
      'This browser isn’t storing data for this page',
    );
    expect([name, errors]).toEqual([name, []]);
    await context.close();
  }
});

test('a view that breaks leaves the others alone, and offers a way on', async ({ browser, served }) => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(served.pageUrl);
  await expect(page.getByText('Connected')).toBeAttached();
  // Each view sets the title of the page.
  await page.evaluate(() => {
    Object.defineProperty(document, 'title', {
      configurable: true,
      set: () => {
        throw new Error('broken for a test');
      },
    });
  });
  await page.getByRole('link', { name: 'Trash' }).click();
  const main = page.getByRole('main');
  await expect(main.getByRole('heading', { name: 'Something broke. Your text is kept.' })).toBeVisible();
  await page.evaluate(() => Reflect.deleteProperty(document, 'title'));
  await main.getByRole('button', { name: 'Try again' }).click();
  await expect(main.getByRole('heading', { name: 'Trash', level: 1 })).toBeVisible();
  await page.context().close();
});
