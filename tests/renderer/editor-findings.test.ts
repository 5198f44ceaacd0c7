import { ChangeSet, Text } from '@codemirror/state';
import { expect, test } from 'vitest';
import { fixIn } from '../../src/renderer/src/features/files/editor/findings.ts';
import { changesBetween } from '../../src/renderer/src/features/files/text-changes.ts';
import type { Finding } from '../../src/shared/api/checks.ts';
import { checkAgent } from '../support/check.ts';

const CHECKED = '# Reads only\n--model local/qwen\n--tools read,bash\n';
const baseDoc = Text.of(CHECKED.split('\n'));
const version = {
  baseDoc,
  changesTo: (doc: Text) => ChangeSet.of([...changesBetween(CHECKED, doc.toString())], baseDoc.length),
};

const findingsIn = (text: string) => checkAgent({ files: { 'pi-args': text } }, 'pi-args-several-tokens');
const [first, second] = findingsIn(CHECKED) as [Finding, Finding];

/** The text after a fix, or null if the fix doesn't apply to it. */
const fixed = (text: string, finding: Finding) => {
  const changes = fixIn(Text.of(text.split('\n')), finding, version);
  return (
    changes &&
    ChangeSet.of(changes, text.length)
      .apply(Text.of(text.split('\n')))
      .toString()
  );
};

test('a fix applies to the checked text, and to a text with other changes', () => {
  expect(fixed(CHECKED, first)).toBe('# Reads only\n--model\nlocal/qwen\n--tools read,bash\n');
  const typed = `# New\n\n${CHECKED.replace('qwen', 'qwen3')}# End\n`;
  expect(fixed(typed, second)).toBe(
    '# New\n\n# Reads only\n--model local/qwen3\n--tools\nread,bash\n# End\n',
  );
});

test('a fix does not apply once its text has changed', () => {
  expect(fixed(CHECKED.replace('--tools read,bash\n', ''), second)).toBeNull();
});

test('a fix of a file with CRLF line ends fits the editor, whose lines end with LF', () => {
  const [finding] = findingsIn(CHECKED.replaceAll('\n', '\r\n')) as [Finding];
  expect(fixed(CHECKED, finding)).toBe('# Reads only\n--model\nlocal/qwen\n--tools read,bash\n');
});
