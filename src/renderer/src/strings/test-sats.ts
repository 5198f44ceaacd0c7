import { number } from './words.ts';

/** Texts of the button that gives test sats. */
export const testSats = {
  get: (sats: number): string => `Get ${number.format(sats)} test sats`,
  got: (sats: number): string => `Received ${number.format(sats)} test sats`,
  failed: 'dot-mi couldn’t get test sats',
} as const;
