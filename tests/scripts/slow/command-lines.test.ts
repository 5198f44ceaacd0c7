import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runToEnd } from '../../support/run-to-end.ts';

const script = (name: string) => fileURLToPath(new URL(`../../../scripts/${name}.ts`, import.meta.url));

test('npm start accepts a cashu: link after --, and nothing else there', async () => {
  const { code, err } = await runToEnd(script('start'), '--hidden', '--', 'cashu:x');
  // The arguments are fine, so what it complains about is the port.
  expect([code, err.includes('PORT')]).toEqual([1, true]);
  expect((await runToEnd(script('start'), '--', '--trust-root')).code).toBe(2);
});

test.each([
  'check',
  'dev',
  'dev-page',
  'edits',
  'import-prices',
  'screenshots',
  'smoke',
  'test-electron',
  'test-mint',
])('scripts/%s.ts explains itself, and refuses an unknown argument', async (name) => {
  const help = await runToEnd(script(name), '--help');
  expect([help.code, help.err]).toEqual([0, '']);
  expect(help.out).toContain('npm run');
  const wrong = await runToEnd(script(name), '--hlp');
  expect([wrong.code, wrong.out]).toEqual([2, '']);
  expect(wrong.err).toContain('Did you mean --help?');
});
