// Whether Chromium is ready. Electron refuses some calls before that moment, and others after it.

let isReady = false;
let ready = Promise.withResolvers<void>();

/** Whether Chromium is ready. */
export const appIsReady = (): boolean => isReady;

/** Resolves once Chromium is ready. */
export const whenReady = (): Promise<void> => ready.promise;

/** Makes Chromium ready. */
export const becomeReady = (): void => {
  isReady = true;
  ready.resolve();
};

/** Goes back to the time before Chromium is ready, for the next test in this process. */
export const becomeUnready = (): void => {
  isReady = false;
  ready = Promise.withResolvers();
};

/** Throws Electron's sentence if Chromium isn't ready. */
export const needsReady = (sentence: string): void => {
  if (!isReady) throw new Error(sentence);
};

/** Throws Electron's sentence if Chromium is ready. */
export const needsUnready = (sentence: string): void => {
  if (isReady) throw new Error(sentence);
};
