import { globSync, readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { aboutTokens } from '../../../src/server/checks/about-tokens.ts';

test('an estimate of model tokens is near the count of the tokenizer', () => {
  const files = globSync(['docs/*.md', 'resources/starter-root/**/*.md', 'src/server/*.ts']);
  const texts = files.map((file) => readFileSync(file, 'utf8')).filter((text) => text.length > 1_500);
  expect(texts.length).toBeGreaterThan(20);
  const others = [
    '这是一个关于如何使用该技能的说明。首先阅读整个文件，然后开始工作。',
    'これは技能の使い方についての説明です。まずファイル全体を読んでください。',
    '이것은 기술 사용 방법에 대한 설명입니다. 먼저 전체 파일을 읽으십시오.',
    'Это инструкция о том, как пользоваться навыком. Сначала прочитайте весь файл.',
  ].map((text) => text.repeat(50));
  for (const text of [...texts, ...others]) {
    const ratio = aboutTokens(text) / countTokens(text);
    expect([text.slice(0, 40), ratio > 0.75 && ratio < 1.25]).toEqual([text.slice(0, 40), true]);
  }
});
