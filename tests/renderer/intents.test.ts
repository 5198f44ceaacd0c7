import { expect, it } from 'vitest';
import { dropIntent, raiseIntent, takeIntent } from '../../src/renderer/src/commands/intents.ts';

it('an intent is taken up once, by the one who does what it asks', () => {
  raiseIntent({ kind: 'new-agent' });
  expect(takeIntent('receive-token')).toBe(false);
  expect(takeIntent('new-agent')).toBe(true);
  expect(takeIntent('new-agent')).toBe(false);
});

it('what is asked of an agent is not done to another one, and is over once that one is looked at', () => {
  raiseIntent({ kind: 'duplicate-agent', id: 'scout' });
  expect(takeIntent('duplicate-agent', 'scout')).toBe(true);
  raiseIntent({ kind: 'duplicate-agent', id: 'scout' });
  expect(takeIntent('duplicate-agent', 'writer')).toBe(false);
  expect(takeIntent('duplicate-agent', 'scout')).toBe(false);
});

it('an intent that is dropped is not done later', () => {
  raiseIntent({ kind: 'receive-token' });
  dropIntent();
  expect(takeIntent('receive-token')).toBe(false);
});
