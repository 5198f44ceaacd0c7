import { expect, it } from 'vitest';
import {
  canHaveScope,
  type KeyForm,
  limitOf,
  NEW_KEY,
  requestOf,
} from '../../src/renderer/src/features/settings/create-key-dialog.tsx';
import { createKey } from '../../src/shared/api/keys.ts';

const NOW = Date.parse('2026-11-23T12:00:00.000Z');

const form = (part: Partial<KeyForm>): KeyForm => ({ ...NEW_KEY, label: 'Orders', ...part });

it('asks for a key as the server accepts it', () => {
  const forms = [
    form({}),
    form({ label: ' Orders ', agent: 'scout', scopes: new Set(['write-agent', 'prices']), days: 30 }),
    form({ scopes: new Set(['spend']), satsPerDay: '1,500' }),
  ];
  expect(forms.map((each) => requestOf(each, NOW))).toEqual([
    { label: 'Orders', scopes: ['prices', 'receive'] },
    {
      label: 'Orders',
      agent: 'scout',
      scopes: ['prices', 'write-agent'],
      expiresAt: '2026-12-23T12:00:00.000Z',
    },
    { label: 'Orders', scopes: ['spend'], spend: { satsPerDay: 1500 } },
  ]);
  for (const each of forms) expect(createKey.body.safeParse(requestOf(each, NOW)).success).toBe(true);
});

it('asks for nothing while the name, a scope or the limit is missing', () => {
  expect(requestOf(NEW_KEY, NOW)).toBeNull();
  expect(requestOf(form({ label: 'x'.repeat(101) }), NOW)).toBeNull();
  expect(requestOf(form({ scopes: new Set() }), NOW)).toBeNull();
  for (const satsPerDay of ['', '0', '1.5', 'many', '-5']) {
    expect(limitOf(form({ satsPerDay }))).toBeNull();
    expect(requestOf(form({ scopes: new Set(['spend']), satsPerDay }), NOW)).toBeNull();
  }
  // A limit that was typed before doesn't matter.
  expect(requestOf(form({ satsPerDay: 'many' }), NOW)).not.toBeNull();
});

it('lets only a key of an agent change one', () => {
  expect(canHaveScope(form({}), 'write-agent')).toBe(false);
  expect(requestOf(form({ scopes: new Set(['write-agent']) }), NOW)).toBeNull();
  expect(requestOf(form({ scopes: new Set(['write-agent', 'receive']) }), NOW)?.scopes).toEqual(['receive']);
});
