// Apart from the routes, which the first view of the page has no use for.
import { z } from 'zod';

/**
 * The states of a charge.
 *
 * - `open`: nobody has paid yet, or the mint is still processing the payment.
 * - `held`: paid, and the work is not done yet.
 * - `settled`: the work is done and charged.
 * - `refunded`: the work failed, and the customer gets everything back.
 * - `expired`: nobody paid in time.
 */
export const CHARGE_STATES = ['open', 'held', 'settled', 'refunded', 'expired'] as const;

/** One of {@link CHARGE_STATES}. */
export type ChargeState = (typeof CHARGE_STATES)[number];

/** The schema of {@link CHARGE_STATES}. */
export const chargeState = z
  .enum(CHARGE_STATES)
  .describe('The state: open (not paid), held (paid, work not done), settled, refunded or expired.');
