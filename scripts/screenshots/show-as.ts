import type { Page } from 'playwright';

/** Replaces texts of the page, such as the path of a temporary directory, until the page draws them again. */
export const showAs = (page: Page, names: ReadonlyMap<string, string>): Promise<void> =>
  page.evaluate(
    (pairs) => {
      const shown = (text: string): string =>
        pairs.reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
      // A path is one text for each of its directories, with a place to break between them.
      for (const element of [...document.querySelectorAll('wbr')].map(({ parentElement }) => parentElement)) {
        const text = element?.textContent ?? '';
        if (element && shown(text) !== text) element.textContent = shown(text);
      }
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = texts.nextNode(); node; node = texts.nextNode()) {
        const text = node.nodeValue ?? '';
        if (shown(text) !== text) node.nodeValue = shown(text);
      }
    },
    [...names],
  );
