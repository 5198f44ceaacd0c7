import { expect, test } from 'vitest';
import { dropApiTexts, dropErrorRows } from '../../scripts/drop-api-texts.ts';

test('drops what only the OpenAPI document says, and nothing else', () => {
  const code = [
    "a: z.string().describe('It\\'s a name, (relative).'),",
    'b: z.int().describe(',
    '  "Null when it can\'t be read.",',
    '),',
    'c: z.int().describe(CACHE_READ),',
    'd: z.int().optional().describe(PURPOSE.root),',
    'e: z.int().describe(describe(each)),',
    "  summary: 'List them',",
    "  description: 'One. ' +",
    '    `Two.`,',
    '  description: text,',
    '  description: z.string(),',
    "  message: 'Shown in the page.',",
    "  errors: ['one', ...MORE],",
  ].join('\n');
  expect(dropApiTexts(code)).toBe(
    [
      'a: z.string(),',
      'b: z.int(),',
      'c: z.int(),',
      'd: z.int().optional(),',
      'e: z.int().describe(describe(each)),',
      "  summary: '',",
      "  description: '',",
      '  description: text,',
      '  description: z.string(),',
      "  message: 'Shown in the page.',",
      '  errors: [],',
    ].join('\n'),
  );
});

test('drops what only the server needs of error codes', () => {
  const row =
    "  gone: { status: 404, retryable: false, next: 'ask', title: 'It’s gone', message: 'Gone.', advice: 'Ask.' },";
  expect(dropErrorRows(row).replaceAll(/\s+/g, ' ')).toBe(" gone: { title: 'It’s gone', advice: 'Ask.' },");
});
