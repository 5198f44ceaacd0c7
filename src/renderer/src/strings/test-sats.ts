import { number } from './words.ts';

/** Strings for test sats: the button and the command that get them, and their history entries. */
export const testSats = {
  get: (sats: number): string => `Get ${number.format(sats)} test sats`,
  getFor: (sats: number, agent: string): string => `Get ${number.format(sats)} test sats for ${agent}`,
  got: (sats: number, agent: string | undefined): string =>
    `Received ${number.format(sats)} test sats${agent === undefined ? '' : ` for ${agent}`}`,
  showEarned: 'See what it earned',
  failed: 'dot-mi couldn’t get test sats',
} as const;
