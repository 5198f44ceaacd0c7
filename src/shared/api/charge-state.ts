// This is a separate file so that the first view doesn't load the routes.
import { z } from 'zod';

/**
 * The states of a charge.
 *
 * - `open`: nobody has paid yet, or the mint is still processing the payment.
 * - `held`: somebody has paid, and the work isn't done yet.
 * - `settled`: the work is done and paid for.
 * - `refunded`: the work failed, and the customer was refunded.
 * - `expired`: nobody paid in time.
 */
const CHARGE_STATES = ['open', 'held', 'settled', 'refunded', 'expired'] as const;

export type ChargeState = (typeof CHARGE_STATES)[number];

export const chargeState = z
  .enum(CHARGE_STATES)
  .describe(
    '`open`: not paid yet. `held`: paid, but the work isn’t done. `settled`: done and paid for. `refunded`: the work failed, and the customer gets the sats back. `expired`: nobody paid in time.',
  );
