import { mergeTests } from '@playwright/test';
import type { Tree } from '../support/plant.ts';
import { makeSession } from '../support/session-file.ts';
import { expect } from './fixtures.ts';
import { pricingTest } from './pricing-page.ts';
import { LONG, LONG_ID, ON_TOP, type Scene, type View } from './view.ts';
import { walletTest } from './wallet-page.ts';

/** More agents with one skill than the catalog names in a row. */
const USERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].map((count) => `user-${count}`);

const session = makeSession();
session.rename('Parcels');
session.say('Send **three** parcels.');
session.call({ input: 10_000, output: 500, usd: 0.25 });
session.call({ input: 10 }, { model: 'unheard-of', stopReason: 'error' });

/** A root in which every view has something to show: broken, long, local, missing. */
const FULL_ROOT: Tree = {
  [`agents/${LONG_ID}/SYSTEM.md`]: `${LONG}\n\n${'A line that goes on and on. '.repeat(30)}\n`,
  [`agents/${LONG_ID}/skills/${LONG}`]: { link: `../../../shared/skills/${LONG}` },
  [`agents/${LONG_ID}/skills/broken${LONG.slice(6)}`]: { link: `/srv/${LONG}` },
  [`agents/${LONG_ID}/extensions/${LONG}.ts`]: { link: `../../../shared/extensions/${LONG}.ts` },
  'agents/writer/workspace.conf': '',
  'agents/scout/settings.json': '{}',
  'agents/scout/auth.json': '{}',
  'agents/scout/bin': { link: '/usr/bin' },
  'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
  'agents/scout/skills/moved': { link: '/elsewhere/moved' },
  'agents/scout/skills/own/SKILL.md': '---\nname: own\n---\n',
  'agents/scout/skills/far': { link: '../../../shared/extensions' },
  'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
  'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
  ...Object.fromEntries(
    USERS.map((id) => [`agents/${id}/skills/git-summary`, { link: '../../../shared/skills/git-summary' }]),
  ),
  'agents/tidy/SYSTEM.md': 'You answer questions.\n',
  'agents/tidy/pi-args': '--thinking\nlow\n',
  'agents/tidy/settings.json': JSON.stringify({ defaultProvider: 'openai', defaultModel: 'gpt-5.4' }),
  [`agents/user-one/sessions/--work--/${session.fileName}`]: session.text(),
  'shared/skills/moved/SKILL.md': '---\nname: moved\ndescription: It came back.\n---\n',
  'shared/skills/broken/SKILL.md': '---\nname: [\n---\n',
  [`shared/skills/${LONG}/SKILL.md`]: `---\nname: ${LONG}\ndescription: ${'Long words. '.repeat(60)}\n---\n`,
  'shared/extensions/folder/index.ts': '',
  [`shared/extensions/${LONG}.ts`]: `// ${'Long words. '.repeat(60)}\nexport default () => {};\n`,
  'shared/presets/web research.json': JSON.stringify({ skills: ['git-summary', LONG, 'absent'] }),
  'shared/presets/broken.json': '{',
};

/** A test with all that the views need: a root, a mint, a source of the BTC price, and a server that nobody used yet. */
export const viewsTest = mergeTests(walletTest, pricingTest).extend({
  tree: FULL_ROOT,
  environment: async ({ mint, source }, use) =>
    use({ MINT_URL: mint.url, BTC_PRICE_SOURCES: source.setting }),
});

/** Brings one view after the other onto the page. What is on top is closed again, and the focus goes back from there. */
export async function* walk(views: readonly View[], scene: Scene): AsyncGenerator<View> {
  const { page } = scene;
  for (const view of views) {
    // Goes there as a link of the page does, without loading it all anew.
    if (view.path !== undefined) await page.evaluate((to) => history.pushState(null, '', to), view.path);
    await view.ready(scene);
    yield view;
    if (view.part === ON_TOP) {
      const onTop = page.locator(ON_TOP);
      // A dialog may be open over a sheet.
      for (let open = await onTop.count(); open > 0; open = await onTop.count()) {
        await page.keyboard.press('Escape');
        await expect.poll(() => onTop.count()).toBeLessThan(open);
      }
      await expect(page.locator('body'), `after ${view.name}`).not.toBeFocused();
    }
    await view.after?.(scene);
  }
}
