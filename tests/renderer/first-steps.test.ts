import { expect, it } from 'vitest';
import { promptsOf, stepsDone } from '../../src/renderer/src/features/first-run/first-steps.tsx';
import { lastRun, reportRun } from '../../src/renderer/src/shell/intents.ts';

const BEGINNING = { texts: 'a -', skills: ['code-review'] };
const done = (texts?: string, skills?: string[], payments?: number) => [
  ...stepsDone(BEGINNING, { texts, skills, payments }),
];

it('a step is done when the files and links of the agent changed, not when it was looked at', () => {
  expect(done('a -', ['code-review'])).toEqual([]);
  expect(done()).toEqual([]);
  expect(done('b -', ['code-review'])).toEqual(['edit']);
  expect(done('a -', ['btc-price', 'code-review'])).toEqual(['link']);
  // Removing a skill gives none.
  expect(done('a -', [])).toEqual([]);
  expect([...stepsDone({ ...BEGINNING, run: 'copied' }, { texts: 'a -', skills: [] })]).toEqual(['run']);
  expect(done('a -', [], 1)).toEqual(['pay']);
  // Nothing is known about the beginning yet.
  expect([...stepsDone({ texts: null, skills: null }, { texts: 'b', skills: ['x'] })]).toEqual([]);
});

it('the model is chosen once the agent is signed in to its provider, or has another model', () => {
  const began = { ...BEGINNING, model: { name: 'anthropic/claude' } };
  const isChosen = (now: object, beginning: object = began) =>
    stepsDone({ ...BEGINNING, ...beginning }, now).has('model');
  expect([isChosen({}), isChosen({ model: 'anthropic/claude', isSignedIn: false })]).toEqual([false, false]);
  expect(isChosen({ model: 'lmstudio/qwen3', isSignedIn: false })).toBe(true);
  expect(isChosen({ model: 'anthropic/claude', isSignedIn: true })).toBe(true);
  // Nothing is known about the beginning yet.
  expect(isChosen({ model: 'lmstudio/qwen3' }, { model: undefined })).toBe(false);
});

it('a copied run command doesn’t count as a run, and doesn’t hide one', () => {
  expect(lastRun('scout')).toBeUndefined();
  reportRun('scout', 'copied');
  expect(lastRun('scout')).toBe('copied');
  reportRun('scout', 'opened');
  reportRun('scout', 'copied');
  expect([lastRun('scout'), lastRun('writer')]).toEqual(['opened', undefined]);
});

it('only the files of the prompt count as an edit of it, not a change of the model', () => {
  const files = (changed: Readonly<Record<string, number>>) =>
    promptsOf({
      files: {
        'SYSTEM.md': { size: 1, modifiedAt: null },
        'APPEND_SYSTEM.md': { size: null, modifiedAt: null },
        ...Object.fromEntries(
          Object.entries(changed).map(([name, size]) => [name, { size, modifiedAt: null }]),
        ),
      },
    });
  expect(files({ 'pi-args': 2 })).toBe(files({}));
  expect(files({ 'SYSTEM.md': 2 })).not.toBe(files({}));
  expect(files({ 'APPEND_SYSTEM.md': 2 })).not.toBe(files({}));
});
