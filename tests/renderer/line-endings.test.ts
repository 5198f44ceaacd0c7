import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatOf, toEditorText, toFileContent } from '../../src/renderer/src/features/files/line-endings.ts';

const line = fc.string({ maxLength: 4, unit: fc.constantFrom('a', 'b', ' ', 'é') });
const ending = fc.constantFrom('\n', '\r\n', '\r');
const BOM = '\uFEFF';

describe('formatOf', () => {
  it.each([
    ['one line', 'none'],
    ['', 'none'],
    ['a\nb\n', 'lf'],
    ['a\r\nb', 'crlf'],
    ['a\rb\r', 'cr'],
    ['a\r\nb\n', 'mixed'],
    ['a\n\r\n', 'mixed'],
  ])('names the line endings of %j', (content, lineEndings) => {
    expect(formatOf(content)).toEqual({ lineEndings, bom: false });
  });

  it('detects a byte order mark', () => {
    expect(formatOf(`${BOM}a\n`)).toEqual({ lineEndings: 'lf', bom: true });
  });
});

describe('toEditorText and toFileContent', () => {
  it('shows no byte order mark and only LF', () => {
    expect(toEditorText(`${BOM}a\r\nb\rc`)).toBe('a\nb\nc');
  });

  it('returns every unedited file exactly', () => {
    const content = fc
      .tuple(fc.boolean(), fc.array(fc.tuple(line, ending), { maxLength: 30 }), line)
      .map(([bom, lines, last]) => (bom ? BOM : '') + lines.flat().join('') + last);
    fc.assert(fc.property(content, (text) => toFileContent(toEditorText(text), text) === text));
  });

  it('ends new lines of a CRLF file with CRLF, and adds no final newline', () => {
    expect(toFileContent('a\nnew\nb', 'a\r\nb')).toBe('a\r\nnew\r\nb');
  });

  it('keeps the byte order mark when the first line is edited or everything is deleted', () => {
    expect(toFileContent('new\nb', `${BOM}a\r\nb`)).toBe(`${BOM}new\r\nb`);
    expect(toFileContent('', `${BOM}a\r\nb`)).toBe(BOM);
  });

  it('ends the lines of a new file with LF', () => {
    expect(toFileContent('a\nb\n', '')).toBe('a\nb\n');
  });

  it('accepts text with its own CRLF, as pasted into another editor', () => {
    expect(toFileContent('a\r\nb\n', 'x\n')).toBe('a\nb\n');
  });

  it('in a mixed file, keeps the endings of all other lines and ends a new line like the one above', () => {
    expect(toFileContent('one\ntwo\nnew\nthree\n', 'one\r\ntwo\r\nthree\n')).toBe(
      'one\r\ntwo\r\nnew\r\nthree\n',
    );
    expect(toFileContent('two\nthree\n', 'one\r\ntwo\nthree\r\n')).toBe('two\nthree\r\n');
    expect(toFileContent('one\nthree\n', 'one\r\ntwo\nthree\n')).toBe('one\r\nthree\n');
  });

  it('in a mixed file, keeps the line endings between two edits that are far apart', () => {
    const old = Array.from({ length: 3000 }, (_, i) => `line ${i}${i % 3 ? '\n' : '\r\n'}`);
    const edited = [...old];
    edited[1] = 'changed\n';
    edited[2998] = 'changed too\n';
    const text = toEditorText(edited.join(''));
    expect(
      toFileContent(text, old.join(''))
        .split(/(?<=\n)/)
        .toSpliced(2998, 1)
        .toSpliced(1, 1),
    ).toEqual(old.toSpliced(2998, 1).toSpliced(1, 1));
  });

  it('in any mixed file, keeps the ending of each line around inserted and removed ones', () => {
    const lines = fc.array(fc.tuple(fc.nat({ max: 5 }), ending, fc.constantFrom('keep', 'drop', 'insert')), {
      maxLength: 25,
    });
    fc.assert(
      fc.property(lines, (plan) => {
        // Numbered lines are all different, so which of them was kept is not open to interpretation.
        const old = plan.map(([text, end], i) => `${i}:${text}${end}`);
        const edited = plan.flatMap(([text, , action], i) =>
          action === 'drop' ? [] : action === 'insert' ? ['new', `${i}:${text}`] : [`${i}:${text}`],
        );
        const saved = toFileContent([...edited, ''].join('\n'), old.join(''));
        for (const [i, [, , action]] of plan.entries()) {
          if (action !== 'drop') expect(saved).toContain(old[i]);
        }
        expect(toEditorText(saved)).toBe([...edited, ''].join('\n'));
      }),
    );
  });

  it('survives a rewrite of a large mixed file', () => {
    const old = Array.from({ length: 5000 }, (_, i) => `old ${i}${i % 2 ? '\n' : '\r\n'}`).join('');
    const text = Array.from({ length: 5000 }, (_, i) => `new ${i}\n`).join('');
    expect(toEditorText(toFileContent(text, old))).toBe(text);
  });
});
