import { join } from 'node:path';
import type { ElementHandle, Page } from '@playwright/test';
import { violationsInBothThemes } from './axe.ts';
import { test as base, expect } from './fixtures.ts';
import { ON_TOP, type Scene, type View } from './view.ts';
import { viewsTest as test, walk } from './views.ts';
import { AGENT_VIEWS } from './views-agent.ts';
import { EMPTY_VIEWS } from './views-empty.ts';
import { MANAGE_VIEWS } from './views-manage.ts';
import { PRICING_VIEWS } from './views-pricing.ts';
import { START_VIEWS } from './views-start.ts';
import { WALLET_VIEWS } from './views-wallet.ts';
import { WALLET_TROUBLE_VIEWS } from './views-wallet-trouble.ts';

/** Where the focus is: in what is opened on top, in the page below, or lost. */
const focusPlace = (page: Page) =>
  page.evaluate((onTop) => {
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body) return 'lost';
    return activeElement.closest(onTop) === null ? 'page' : 'on top';
  }, ON_TOP);

/** Controls that stand outside of the window and of everything that scrolls: nobody can reach them. */
const unreachable = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>(
      'a[href], button, input, textarea, [tabindex="0"]',
    );
    return [...controls].flatMap((control) => {
      if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return [];
      control.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      const { left, right, top, bottom, width } = control.getBoundingClientRect();
      const isHidden = width <= 1 || control.closest('[aria-hidden="true"], [inert]') !== null;
      const isInside = right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
      return isHidden || isInside ? [] : [control.outerHTML.slice(0, 160)];
    });
  });

/** The sizes that everything has to fit into. A window of 1280 × 800 at 200 % has half as many pixels each way. */
const SIZES = {
  'in 800 × 600': { width: 800, height: 600 },
  'at 200 %': { width: 640, height: 400 },
};

/** What does not fit at a size: hangs out sideways, or cannot be reached. */
const misfits = async (page: Page, size: keyof typeof SIZES): Promise<string[]> => {
  await page.setViewportSize(SIZES[size]);
  const wide = await page.evaluate(async () => {
    const isWide = (part: Element): boolean => part.scrollWidth > part.clientWidth;
    const scrolls = (part: Element): boolean => /auto|scroll/.test(getComputedStyle(part).overflowX);
    // What scrolls keeps what hangs out of it to itself. Only the tabs of files are meant to scroll sideways.
    const inside = [...document.querySelectorAll('body :not([role="tablist"])')].filter(scrolls);
    const parts = [...document.querySelectorAll('html, body, main'), ...inside];
    // What is on top finds its place some frames after the window got its size.
    for (let frame = 0; frame < 30 && parts.some(isWide); frame++) await new Promise(requestAnimationFrame);
    return parts.filter(isWide).map(({ tagName, className }) => `${tagName} ${className} is too wide`);
  });
  return [...wide, ...(await unreachable(page))].map((text) => `${size}: ${text}`);
};

const WIDE = { width: 1280, height: 800 };

/** Where `npm run screenshots` wants pictures of the views in place of this test, and of which ones. */
const { SCREENSHOTS: pictures, SCREENSHOTS_OF: pictured = '' } = process.env;

/** The name of a view as pictures have it. */
const pictureOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** Takes pictures of each view: wide and narrow, light and dark. */
const takePictures = async (views: readonly View[], scene: Scene, directory: string): Promise<void> => {
  const { page } = scene;
  test.setTimeout(0);
  const isPictured = ({ name }: View) => pictured === '' || pictured.split(' ').includes(pictureOf(name));
  // A view finds what those before it left.
  for await (const view of walk(views.slice(0, views.findLastIndex(isPictured) + 1), scene)) {
    if (!isPictured(view)) continue;
    // No pointer over anything.
    await page.mouse.move(1, 1);
    for (const size of [WIDE, SIZES['in 800 × 600']]) {
      await page.setViewportSize(size);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // Charts and editors draw themselves some frames later.
        await page.evaluate(() => new Promise((done) => setTimeout(done, 200)));
        const path = join(directory, `${pictureOf(view.name)}-${size.width}-${colorScheme}.png`);
        await page.screenshot({ path, caret: 'hide', animations: 'disabled' });
      }
    }
    await page.setViewportSize(SIZES['at 200 %']);
  }
};

/** Gets to each view at 200 % and looks at it, there and in larger windows. */
const lookAt = async (views: readonly View[], scene: Scene): Promise<void> => {
  const { page } = scene;
  const small = SIZES['at 200 %'];
  await page.setViewportSize(small);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  if (pictures) return takePictures(views, scene, pictures);
  const walked = views.filter(({ isOnlyPictured }) => !isOnlyPictured);
  for await (const { name, part } of walk(walked, scene)) {
    const unfit = [...(await misfits(page, 'at 200 %')), ...(await misfits(page, 'in 800 × 600'))];
    await page.setViewportSize(WIDE);
    const found = await violationsInBothThemes(page, part);
    const focus = part === ON_TOP ? await focusPlace(page) : 'on top';
    await page.setViewportSize(small);
    expect.soft({ found, focus, unfit }, name).toEqual({ found: [], focus: 'on top', unfit: [] });
  }
};

// Every promise of these tests: axe finds nothing in light and dark, everything fits, and the topmost layer has the focus.
const EVERY_VIEW = 'every view is accessible and fits';

const ALL_VIEWS = [
  ...[...START_VIEWS, ...AGENT_VIEWS, ...MANAGE_VIEWS, ...PRICING_VIEWS, ...WALLET_VIEWS],
  ...[...WALLET_TROUBLE_VIEWS, ...EMPTY_VIEWS],
];

base('no two views have one name, so that each has pictures of its own', () => {
  const names = ALL_VIEWS.map(({ name }) => pictureOf(name));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.describe('from the first start on', () => {
  test.use({
    environment: async ({ mint, source }, use) =>
      use({ DOT_MI_ROOT: '', MINT_URL: mint.url, BTC_PRICE_SOURCES: source.setting }),
  });

  test(EVERY_VIEW, async ({ page, served, mint, source }) => {
    await lookAt(START_VIEWS, { page, served, mint, source });
  });
});

for (const [name, views] of [
  ['of an agent', AGENT_VIEWS],
  ['of checks, catalog, matrix, trash and settings', MANAGE_VIEWS],
  ['of pricing and the wallet', [...PRICING_VIEWS, ...WALLET_VIEWS]],
] as const) {
  test(`${name}, ${EVERY_VIEW}`, async ({ page, served, mint, source }) => {
    await page.goto(served.pageUrl);
    await lookAt(views, { page, served, mint, source });
  });
}

test.describe('of a wallet in trouble', () => {
  test.use({ environment: async ({ mint }, use) => use({ DEV_MODE: 'false', MINT_URL: mint.url }) });

  test(EVERY_VIEW, async ({ page, served, mint, source }) => {
    await page.goto(served.pageUrl);
    await lookAt(WALLET_TROUBLE_VIEWS, { page, served, mint, source });
  });
});

test.describe('of an empty root, and offline', () => {
  test.use({ tree: {}, environment: {} });

  test(EVERY_VIEW, async ({ page, served, mint, source }) => {
    await page.goto(served.pageUrl);
    await lookAt(EMPTY_VIEWS, { page, served, mint, source });
  });
});

/** What could show that an element has the focus: its edges, and those of what it stands in and what stands in it. */
const edgesOf = (element: Element): string =>
  [element, element.parentElement ?? element, ...element.querySelectorAll('*')]
    .map((part) => {
      const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor } = getComputedStyle(part);
      return `${outlineStyle === 'none' ? 'none' : `${outlineWidth} ${outlineColor}`} ${boxShadow} ${borderColor}`;
    })
    .join();

/** Presses Tab from where the focus is to the end of the page; tells how many controls that are, and which show no focus. */
const tabThrough = async (page: Page) => {
  let reached = 0;
  const unseen: string[] = [];
  let last: { control: ElementHandle<Element>; focused: string } | undefined;
  for (; reached < 80; reached++) {
    await page.keyboard.press('Tab');
    // The editor shows its focus some milliseconds later.
    await page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
    if (last && (await last.control.evaluate(edgesOf)) === last.focused)
      unseen.push(await last.control.evaluate(({ outerHTML }) => outerHTML.slice(0, 160)));
    const control = await page.evaluateHandle(() => {
      let active = document.activeElement ?? document.body;
      while (active.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      return active;
    });
    if (await control.evaluate((element) => element === document.body)) break;
    last = { control, focused: await control.evaluate(edgesOf) };
  }
  return { reached, unseen };
};

base('everything that Tab reaches shows that it has the focus', async ({ page, served }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await page.goto(served.pageUrl);
  await expect(page.getByRole('option')).toHaveCount(1);
  // The first view from its very beginning, which follows its end; the others without what is around them all.
  await tabThrough(page);
  const first = await tabThrough(page);
  expect(first.unseen).toEqual([]);
  expect(first.reached).toBeGreaterThan(8);
  for (const [path, ready] of [
    ['/agents/scout/files/SYSTEM.md', page.getByRole('textbox', { name: /SYSTEM.md/ })],
    ['/agents/scout/skills', page.getByRole('button', { name: 'Link git-summary', exact: true })],
    ['/catalog', page.getByText('Not used by any agent')],
    ['/wallet', page.getByText('Nothing yet')],
    ['/pricing', page.getByRole('rowheader').first()],
    ['/settings/wallet', page.getByRole('textbox', { name: 'Mint', exact: true })],
  ] as const) {
    await page.evaluate((to) => history.pushState(null, '', to), path);
    await expect(ready).toBeVisible();
    await page.getByRole('main').focus();
    const { reached, unseen } = await tabThrough(page);
    expect.soft(unseen, path).toEqual([]);
    expect.soft(reached, path).toBeGreaterThan(1);
  }
});
