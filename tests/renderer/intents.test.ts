import { expect, it, onTestFinished, vi } from 'vitest';
import { cancelAction, consumeAction, requestAction } from '../../src/renderer/src/shell/intents.ts';

it('a requested action is consumed once, by the view that performs it', () => {
  requestAction({ kind: 'new-agent' });
  expect(consumeAction('receive-token')).toBe(false);
  expect(consumeAction('new-agent')).toBe(true);
  expect(consumeAction('new-agent')).toBe(false);
});

it('an action for one agent is not performed on another, and is dropped once that one is opened', () => {
  requestAction({ kind: 'duplicate-agent', id: 'scout' });
  expect(consumeAction('duplicate-agent', 'scout')).toBe(true);
  requestAction({ kind: 'duplicate-agent', id: 'scout' });
  expect(consumeAction('duplicate-agent', 'writer')).toBe(false);
  expect(consumeAction('duplicate-agent', 'scout')).toBe(false);
});

it('an action for an agent waits while its page opens in place of another one', () => {
  vi.stubGlobal('location', { pathname: '/agents/scout/files/SYSTEM.md' });
  onTestFinished(() => void vi.unstubAllGlobals());
  requestAction({ kind: 'set-model', id: 'scout' });
  expect(consumeAction('set-model', 'writer')).toBe(false);
  expect(consumeAction('set-model', 'scout')).toBe(true);
  requestAction({ kind: 'edit-file', id: 'scout/SYSTEM.md' });
  expect(consumeAction('edit-file', 'writer/SYSTEM.md')).toBe(false);
  expect(consumeAction('edit-file', 'scout/SYSTEM.md')).toBe(true);
});

it('a canceled action is not performed later', () => {
  requestAction({ kind: 'receive-token' });
  cancelAction();
  expect(consumeAction('receive-token')).toBe(false);
});
