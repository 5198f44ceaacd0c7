import type { Page } from 'playwright';

/** What the browser has, which the bench is not typed for. */
interface Watched {
  addEventListener(
    type: string,
    listener: (event: { timeStamp: number; key?: string }) => void,
    capture: boolean,
  ): void;
}
declare global {
  /** What {@link watchAnswers} adds to the page. */
  var answerWatch: { sinceMs: number; answeredMs: number };
}
declare const document: { readonly body: { readonly classList: { toggle(name: string): void } } };
declare const Element: { readonly prototype: { attachShadow: (init: object) => object } };
declare const window: Watched;
declare const performance: { now(): number };
declare const requestAnimationFrame: (callback: () => void) => number;
declare class MutationObserver {
  constructor(callback: () => void);
  observe(target: object, options: object): void;
}
declare class MessageChannel {
  readonly port1: { onmessage: () => void };
  readonly port2: { postMessage(message: null): void };
}

/** Runs in each page before its own code: notes when the first frame after a key or click showed a change. */
const watchAnswers = (): void => {
  const watch = {
    sinceMs: 0,
    answeredMs: 0,
    nextFrame: () => {
      if (watch.sinceMs === 0 || watch.answeredMs > 0) return;
      const { sinceMs } = watch;
      requestAnimationFrame(() => {
        // A task after the frame, so that its style, layout and paint are in it.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          if (watch.sinceMs === sinceMs && watch.answeredMs === 0) watch.answeredMs = performance.now();
        };
        port2.postMessage(null);
      });
    },
  };
  globalThis.answerWatch = watch;
  const observe = (target: object): void =>
    new MutationObserver(watch.nextFrame).observe(target, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
      // Not those that a press or the focus changes on the control itself. What moves away has begun to do so.
      attributeFilter: [
        'class',
        'style',
        'hidden',
        'open',
        'disabled',
        'aria-busy',
        'aria-selected',
        'aria-checked',
        'aria-expanded',
        'data-disabled',
        'data-ending-style',
      ],
    });
  observe(document);
  const attach = Element.prototype.attachShadow;
  // The editor is in a shadow tree.
  Element.prototype.attachShadow = function attachShadow(this: object, init: object): object {
    const root = attach.call(this, init);
    observe(root);
    return root;
  };
  // The baseline: a key that changes one class.
  window.addEventListener(
    'keydown',
    ({ key }) => {
      if (key === 'F9') document.body.classList.toggle('bench');
    },
    false,
  );
  for (const type of ['keydown', 'click']) {
    window.addEventListener(
      type,
      ({ timeStamp }) => {
        watch.sinceMs = timeStamp;
        watch.answeredMs = 0;
      },
      true,
    );
  }
};

const begin = (): void => {
  answerWatch.sinceMs = 0;
  answerWatch.answeredMs = 0;
};

const tookMs = (): number | null => {
  const { sinceMs, answeredMs } = globalThis.answerWatch;
  return answeredMs > 0 ? answeredMs - sinceMs : null;
};

/** An action that shows nothing by then never does. */
const LIMIT_MS = 10_000;
/** Each look interrupts the page. */
const POLL_MS = 20;
/** What an action goes on to do isn't part of the next one. */
const SETTLE_MS = 300;

/** A key that changes one class and nothing else: how long the browser and the machine need for any answer. */
export const BASELINE_KEY = 'F9';

/** Makes {@link measureAnswer} possible on a page that has loaded nothing yet. */
export const prepareAnswers = (page: Page): Promise<unknown> => page.addInitScript(watchAnswers);

/**
 * Acts on the page, and returns the milliseconds from the last key or click to the end of the first frame that shows a
 * change or progress. Playwright's own time isn't in it.
 */
export const measureAnswer = async (page: Page, act: () => Promise<unknown>): Promise<number> => {
  await page.evaluate(begin);
  await act();
  const endsAtMs = Date.now() + LIMIT_MS;
  for (;;) {
    const found = await page.evaluate(tookMs);
    if (found !== null) {
      await page.waitForTimeout(SETTLE_MS);
      return found;
    }
    if (Date.now() > endsAtMs) throw new Error('nothing changed on the page');
    await page.waitForTimeout(POLL_MS);
  }
};
