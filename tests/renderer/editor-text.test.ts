import { EditorState, Text } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { shownText } from '../../src/renderer/src/features/files/editor/editor-extensions.ts';
import { editorRangeOf, headingsIn } from '../../src/renderer/src/features/files/editor/view-actions.ts';
import { createKept } from '../../src/renderer/src/kept.ts';
import { chooseLineNumbers, lineNumbersChosen } from '../../src/renderer/src/shell/appearance.ts';
import { eventually } from '../support/eventually.ts';
import { makeSessionStore } from '../support/session-store.ts';

const markdown = (text: string, caret = 0): EditorState => {
  const doc = Text.of(text.split('\n'));
  return EditorState.create({
    doc,
    selection: { anchor: caret },
    extensions: shownText('label', 'markdown', doc),
  });
};

describe('headingsIn', () => {
  it('lists the headings outside code and frontmatter, and marks the one that the caret is in', async () => {
    const text = [
      '---',
      '# a comment',
      'name: scout',
      '---',
      '# The `scout` #',
      '```sh',
      '# not a heading',
      '```',
      'Tools',
      '-----',
      '### **Last** one',
      '#',
      'end',
    ].join('\n');
    const state = markdown(text, text.indexOf('Tools') + 8);
    // A slow machine parses it in several calls.
    await expect.poll(() => headingsIn(state).length, { timeout: 60_000 }).toBe(3);
    const found = headingsIn(state);
    expect(found.map(({ level, text: title }) => [level, title])).toEqual([
      [1, 'The scout'],
      [2, 'Tools'],
      [3, 'Last one'],
    ]);
    expect(found.filter(({ isCurrent }) => isCurrent).map(({ text: title }) => title)).toEqual(['Tools']);
    expect(found.map(({ from }) => text.slice(from, from + 5))).toEqual(['# The', 'Tools', '### *']);
  });

  it('finds the last heading of a long text', async () => {
    const state = markdown(`${'Some words.\n\n'.repeat(1_000)}## The end\n`);
    // A slow machine parses it in several calls.
    await expect
      .poll(() => headingsIn(state).at(-1), { timeout: 60_000 })
      .toMatchObject({ text: 'The end', isCurrent: false });
  });
});

describe('rangeOf', () => {
  const doc = Text.of(['You write.', 'Ask the courier, then ask the courier again.', '']);
  const at = (place: Parameters<typeof editorRangeOf>[1], text = doc) => {
    const { from, to } = editorRangeOf(text, place);
    return [from, text.sliceString(from, to)];
  };

  it('finds the words of a match in their line', () => {
    const text = 'Ask the courier, then ask the courier again.';
    expect(at({ line: 2, text, start: 30, length: 7 })).toEqual([11 + 30, 'courier']);
    // Of a long line only the part around the match is known.
    expect(at({ line: 2, text: 'ask the courier again', start: 8, length: 7 })).toEqual([11 + 30, 'courier']);
  });

  it('finds them elsewhere in unsaved text, or else goes to the line', () => {
    const match = { line: 2, text: 'Ask the courier', start: 8, length: 7 };
    expect(at(match, Text.of(['One', 'two', 'the courier']))).toEqual([12, 'courier']);
    expect(at(match, Text.of(['One', 'two']))).toEqual([4, '']);
    expect(at(match, Text.of(['One']))).toEqual([0, '']);
  });
});

it('remembers whether lines have numbers', async () => {
  const storage = makeSessionStore();
  const kept = createKept({ read: async () => ({}), write: async () => undefined, storage });
  expect(lineNumbersChosen(kept)).toBe(false);
  chooseLineNumbers(true, kept);
  expect(lineNumbersChosen(kept)).toBe(true);
  chooseLineNumbers(false, kept);
  // Until the server has it, the browser notes that.
  await eventually(() => expect(storage.size).toBe(0));
});
