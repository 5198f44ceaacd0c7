import { expect, test } from 'vitest';
import { dropApiTexts } from '../../scripts/drop-api-texts.ts';

test('empties what only the OpenAPI document says, and nothing else', () => {
  const code = [
    "a: z.string().describe('It\\'s a name, (relative).'),",
    'b: z.int().describe(',
    '  "Null when it can\'t be read.",',
    '),',
    "  summary: 'List them',",
    "  description: 'One. ' +",
    '    `Two.`,',
    '  description: text,',
    '  description: z.string(),',
    "  message: 'Shown in the page.',",
  ].join('\n');
  expect(dropApiTexts(code)).toBe(
    [
      "a: z.string().describe( ''),",
      "b: z.int().describe( '',",
      '),',
      "  summary: '',",
      "  description: '',",
      '  description: text,',
      '  description: z.string(),',
      "  message: 'Shown in the page.',",
    ].join('\n'),
  );
});
