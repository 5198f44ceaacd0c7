import { expect, it } from 'vitest';
import {
  cancelAction,
  consumeAction,
  requestAction,
} from '../../src/renderer/src/commands/requested-action.ts';

it('an intent is taken up once, by the one who does what it asks', () => {
  requestAction({ kind: 'new-agent' });
  expect(consumeAction('receive-token')).toBe(false);
  expect(consumeAction('new-agent')).toBe(true);
  expect(consumeAction('new-agent')).toBe(false);
});

it('what is asked of an agent is not done to another one, and is over once that one is looked at', () => {
  requestAction({ kind: 'duplicate-agent', id: 'scout' });
  expect(consumeAction('duplicate-agent', 'scout')).toBe(true);
  requestAction({ kind: 'duplicate-agent', id: 'scout' });
  expect(consumeAction('duplicate-agent', 'writer')).toBe(false);
  expect(consumeAction('duplicate-agent', 'scout')).toBe(false);
});

it('an intent that is dropped is not done later', () => {
  requestAction({ kind: 'receive-token' });
  cancelAction();
  expect(consumeAction('receive-token')).toBe(false);
});
