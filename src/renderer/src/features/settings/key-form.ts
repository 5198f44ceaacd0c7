import type { CallOf } from '../../../../shared/api/endpoint.ts';
import { KEY_SCOPES, type KeyScope } from '../../../../shared/api/key-scopes.ts';
import { type createKey, MAX_KEY_LABEL_LENGTH } from '../../../../shared/api/keys.ts';
import { parseInteger } from '../../parse-integer.ts';

/** What a person typed about a new key. */
export interface KeyForm {
  readonly label: string;
  /** Empty for a key of no agent. */
  readonly agent: string;
  readonly scopes: ReadonlySet<KeyScope>;
  readonly satsPerDay: string;
  /** Null if it never expires. */
  readonly days: number | null;
}

/** The choices for how long a key works, in days. */
export const EXPIRY_DAYS: readonly (number | null)[] = [null, 7, 30, 90, 365];

/** An agent that earns needs these. */
export const NEW_KEY: KeyForm = {
  label: '',
  agent: '',
  scopes: new Set(['prices', 'receive']),
  satsPerDay: '',
  days: null,
};

const DAY_MS = 24 * 60 * 60_000;

/** The limit as typed, in sats. Null if it isn't one. */
export const limitOf = ({ satsPerDay }: KeyForm): number | null => {
  const sats = parseInteger(satsPerDay);
  return sats !== null && sats > 0 ? sats : null;
};

/** Whether a scope can be chosen. A key of no agent has no agent to change. */
export const canHaveScope = ({ agent }: KeyForm, scope: KeyScope): boolean =>
  scope !== 'write-agent' || agent !== '';

/** The request for a key, or null while something is missing. */
export const requestOf = (form: KeyForm, nowMs: number): CallOf<typeof createKey>['body'] | null => {
  const label = form.label.trim();
  const scopes = KEY_SCOPES.filter((scope) => form.scopes.has(scope) && canHaveScope(form, scope));
  const limit = limitOf(form);
  const spends = scopes.includes('spend');
  if (label === '' || label.length > MAX_KEY_LABEL_LENGTH || scopes.length === 0) return null;
  if (spends && limit === null) return null;
  return {
    label,
    scopes,
    ...(form.agent === '' ? {} : { agent: form.agent }),
    ...(spends && limit !== null ? { spend: { satsPerDay: limit } } : {}),
    ...(form.days === null ? {} : { expiresAt: new Date(nowMs + form.days * DAY_MS).toISOString() }),
  };
};
