import { gzipSync } from 'node:zlib';
import type { Page, Response } from 'playwright';

/** A script that a view loads, and its size on a network that compresses. */
export interface LoadedScript {
  readonly path: string;
  readonly text: string;
  readonly gzipBytes: number;
}

/**
 * Opens an address and returns the scripts of its first view until `ready`, without those loaded when idle.
 */
export const initialScripts = async (
  page: Page,
  url: string,
  ready: () => Promise<unknown>,
): Promise<LoadedScript[]> => {
  const responses: Response[] = [];
  const onResponse = (response: Response): void => {
    if (response.request().resourceType() === 'script') responses.push(response);
  };
  await page.addInitScript(() => Object.assign(globalThis, { requestIdleCallback: () => 0 }));
  page.on('response', onResponse);
  await page.goto(url);
  await ready();
  page.off('response', onResponse);
  return Promise.all(
    responses.map(async (response) => {
      const body = await response.body();
      return {
        path: new URL(response.url()).pathname,
        text: body.toString('utf8'),
        gzipBytes: gzipSync(body).length,
      };
    }),
  );
};

/** The total gzip size, in kB of 1,000 bytes. */
export const totalKilobytes = (scripts: readonly LoadedScript[]): number =>
  scripts.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0) / 1000;
