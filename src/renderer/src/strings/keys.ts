import type { KeyScope } from '../../../shared/api/key-scopes.ts';
import { number } from './words.ts';

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Strings for agent keys. */
export const agentKeys = {
  hint: 'A key identifies an agent or another program, and limits what that program can do.',
  none: 'No keys yet',
  create: 'Create key…',
  requiredOn: 'Programs need a key or the operator token. This page still works.',
  requiredOff: 'Programs on this computer can use most routes without a key.',
  requireQuestion: 'Require a key?',
  requireDescription:
    'Create keys for your agents and scripts first. Those without a key stop working at once, and so does API_TOKEN.',
  requireConfirm: 'Require a key',

  scopes: {
    prices: 'Read prices',
    receive: 'Receive payments',
    charge: 'Charge customers',
    'read-agents': 'Read agents',
    'write-agent': 'Change the key’s own agent',
    spend: 'Send sats',
  } satisfies Record<KeyScope, string>,
  scopeHints: {
    prices: 'Model prices and the BTC price.',
    receive: 'Check and receive tokens, and read the balance.',
    charge: 'Charge for the agent’s work, and give change.',
    'read-agents': 'Files, links and costs of all agents, and its own earnings.',
    'write-agent': 'Write its files and link shared entries.',
    spend: 'Up to a limit per day, fees included.',
  } satisfies Record<KeyScope, string>,
  writeNeedsAgent: 'Choose an agent first.',
  anyAgent: 'no agent',
  otherRoot: 'other root',
  expired: 'Expired',
  limitReached: 'Limit reached',
  spent: (spent: number | null, limit: number): string =>
    spent === null
      ? `up to ${number.format(limit)} sat a day`
      : `${number.format(spent)} of ${number.format(limit)} sat today`,
  created: (when: string): string => `created ${when}`,
  lastUsed: (when: string): string => `last used ${when}`,
  neverUsed: 'not used yet',
  expires: (at: string): string => `expires ${date.format(Date.parse(at))}`,
  expiredOn: (at: string): string => `expired ${date.format(Date.parse(at))}`,

  revoke: 'Revoke…',
  revokeLabel: (label: string): string => `Revoke ${label}…`,
  revokeQuestion: (label: string): string => `Revoke “${label}”?`,
  revokeDescription: 'Programs that use this key stop working at once. You can’t undo this.',
  revokeConfirm: 'Revoke key',
  revoked: (label: string): string => `${label} was revoked`,
  revokeFailed: 'The key wasn’t revoked',

  dialog: {
    title: 'Create a key',
    description: 'Give each program its own key, so you can revoke one without the others.',
    label: 'Name',
    labelHint: 'The program that uses it, such as “Orders on the shop server”.',
    agent: 'Agent',
    noAgent: 'No agent',
    agentHint:
      'Sats received with this key count as earned by this agent. The key can’t change other agents.',
    scopes: 'Scopes',
    limit: 'Sats per day',
    limitProblem: 'Enter a whole number of sats, such as 500.',
    expires: 'Expires',
    expiryDays: (days: number | null): string =>
      days === null ? 'Never' : days === 365 ? 'In a year' : `In ${days} days`,
    submit: 'Create key',
    failed: 'The key wasn’t created',
  },
  made: {
    title: 'Copy this key now',
    description: 'dot-mi shows it only once.',
    key: 'Key',
    copy: 'Copy key',
    use: 'Set DOT_MI_KEY to this key where you start the agent. Anyone who has the key can use it.',
    done: 'Done',
  },
} as const;
