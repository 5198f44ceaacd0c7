import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** What axe is to look at: a part of the page, and with some of its rules. Without either, everything. */
interface Look {
  /** A CSS selector. */
  readonly part?: string | undefined;
  readonly rules?: readonly string[];
}

/** What axe finds on a page, short enough to read. */
export const violationsOf = async (page: Page, { part, rules }: Look = {}): Promise<string[]> => {
  const isThere = await page.evaluate(async () => {
    // Half transparent text has no contrast to speak of: what moves in is there first.
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    return 'axe' in window;
  });
  // Half a megabyte to parse, once for each page that is loaded. Without frames inside it needs no second page, either.
  const axe = new AxeBuilder({ page, ...(isThere ? { axeSource: 'void 0' } : {}) }).setLegacyMode();
  if (part) axe.include(part);
  if (rules) axe.withRules([...rules]);
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  );
};

/**
 * The rules that ask for colours. Every other one reads roles, names, structure and sizes, and those are the same in
 * both themes: a theme is the values of the tokens (styles/tokens.css), and nothing else knows which one there is.
 */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Looks in light by every rule, and in dark by those of colours; what is found says where. The page stays dark. */
export const violationsInBothThemes = async (page: Page, part?: string): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const light = await violationsOf(page, { part });
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  const dark = await violationsOf(page, { part, rules: COLOUR_RULES });
  return [...light.map((text) => `light: ${text}`), ...dark.map((text) => `dark: ${text}`)];
};
