import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** The rules that look at colors. No other rule can find in dark what it does not find in light. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** What axe finds on a page, or in the part of a CSS selector; short enough to read. */
const violationsOf = async (
  page: Page,
  { part, rules }: { part?: string | undefined; rules?: string[] | undefined },
): Promise<string[]> => {
  const isThere = await page.evaluate(async () => {
    // Half transparent text has no contrast to speak of: what moves in is there first.
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    return 'axe' in window;
  });
  // Half a megabyte to parse, once for each page that is loaded. Without frames inside it needs no second page, either.
  const axe = new AxeBuilder({ page, ...(isThere ? { axeSource: 'void 0' } : {}) })
    .setLegacyMode()
    // A description of each element that passed would take longer than the rules.
    .options({ resultTypes: ['violations'] });
  if (part) axe.include(part);
  if (rules) axe.withRules(rules);
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
  );
};

/** Details that only the pointer can see: no control around them and no control of their row shows them. */
const detailsOutOfReach = (): string[] => {
  const CONTROL = 'a[href], button, input, select, textarea, [role="option"], [role="img"]';
  const isReached = (element: Element): boolean =>
    element.closest(`${CONTROL}, [role="grid"], [aria-hidden="true"]`) !== null ||
    element.closest('[data-details-row]')?.querySelector('[data-shows-row]') != null ||
    // Screen readers read it where it is, and another control shows it.
    (element.querySelector('.sr-only')?.textContent ?? '').includes(
      element.getAttribute('data-details') || '\0',
    );
  return [...document.querySelectorAll('[data-details]')].flatMap((element) =>
    isReached(element) ? [] : [`only the pointer sees the details of ${element.outerHTML.slice(0, 160)}`],
  );
};

/** Runs all rules in light, and those on colors in dark. What is found says where. The page stays dark. */
export const violationsInBothThemes = async (page: Page, part?: string): Promise<string[]> => {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const violations = await violationsOf(page, {
      part,
      rules: colorScheme === 'dark' ? COLOR_RULES : undefined,
    });
    found.push(...violations.map((text) => `${colorScheme}: ${text}`));
  }
  return [...found, ...(await page.evaluate(detailsOutOfReach))];
};
