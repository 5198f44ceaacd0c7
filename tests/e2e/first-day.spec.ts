import { readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { editor } from './editor.ts';
import { expect, test } from './fixtures.ts';
import { type How, pressOn, tabTo } from './keyboard.ts';
import { simulatedToken, walletPage } from './wallet-page.ts';

/** The most actions of a first day. An action is a click, a shortcut or a typed text; moving the focus is none. */
const MOST_ACTIONS = 25;

test.use({ environment: { DOT_MI_ROOT: '' } });

for (const how of ['by mouse', 'by keys'] satisfies How[]) {
  test(`the first day ${how} goes from the sample agents to a received token in few actions`, async ({
    page,
    context,
    served,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served.url });
    let actions = 0;
    const press = async (target: Locator) => {
      actions++;
      await pressOn(page, target, how);
    };
    const paste = async (text: string) => {
      actions++;
      await page.keyboard.insertText(text);
    };
    const shortcut = async (keys: string) => {
      actions++;
      await page.keyboard.press(keys);
    };

    await page.goto(served.pageUrl);
    await press(page.getByRole('button', { name: 'Start with three sample agents' }));
    const steps = page.getByRole('region', { name: 'First steps with scout' });

    await expect(editor(page)).toBeVisible();
    if (how === 'by mouse') await press(editor(page));
    else await tabTo(page, editor(page));
    await shortcut('ControlOrMeta+End');
    await paste('\nCarry lanterns.\n');
    if (how === 'by mouse') await press(page.getByRole('button', { name: 'Save', exact: true }));
    else await shortcut('ControlOrMeta+s');
    await expect(steps.getByRole('link', { name: 'Edit its prompt (done)' })).toBeVisible();
    const agent = join(served.directory, 'data', 'dot-mi-root', 'agents', 'scout');
    expect(await readFile(join(agent, 'SYSTEM.md'), 'utf8')).toMatch(/\nCarry lanterns\.\n$/);
    // The editor keeps Tab for its text, so a person leaves it with Escape.
    if (how === 'by keys') await shortcut('Escape');

    await press(steps.getByRole('link', { name: 'Give it a skill' }));
    await press(page.getByRole('button', { name: 'Link btc-price', exact: true }));
    await expect(steps.getByRole('link', { name: 'Give it a skill (done)' })).toBeVisible();
    expect(await readlink(join(agent, 'skills', 'btc-price'))).toContain('btc-price');

    await press(page.getByRole('button', { name: 'Copy run command' }));
    await expect(steps).toContainText('Copied the run command: paste it into a terminal');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(agent);

    await press(page.getByRole('link', { name: /^Wallet/ }));
    const { receive, balance } = walletPage(page);
    await press(page.getByRole('main').getByRole('button', { name: 'Receive', exact: true }));
    await paste(simulatedToken(64, 'for lanterns'));
    await expect(receive).toContainText('64 sat');
    if (how === 'by mouse') await press(receive.getByRole('button', { name: 'Receive', exact: true }));
    else await shortcut('ControlOrMeta+Enter');
    await expect(balance).toContainText('64 sat');
    await shortcut('Escape');

    await shortcut('ControlOrMeta+k');
    actions++;
    await page.keyboard.type('lanterns');
    const found = page.getByRole('dialog', { name: 'Search' }).getByRole('option', { name: /lanterns/ });
    await expect(found).toHaveCount(1);
    if (how === 'by mouse') await press(found);
    else await shortcut('Enter');
    await expect(editor(page)).toContainText('Carry lanterns.');
    expect(actions).toBeLessThanOrEqual(MOST_ACTIONS);
  });
}
