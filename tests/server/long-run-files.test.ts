import { expect, test } from 'vitest';
import { isTooLongToRun } from '../../src/pi/pi-args.ts';
import { servePrompts } from './prompt/serve-prompts.ts';

/** Long pi-args, workspace.conf and prompts can be saved, but nobody has to wait while dot-mi interprets them. */

const lines = (count: number, line = 'a') => `${line}\n`.repeat(count);

test.each([
  ['no text', '', false],
  ['1,000 arguments', lines(1_000), false],
  ['1,001 arguments', lines(1_001), true],
  ['comments up to 64 KiB', lines(32 * 1024, '#'), false],
  ['a comment of more than 64 KiB', `#${'x'.repeat(64 * 1024)}`, true],
])('knows whether %s is too long to run', (_, text, expected) => {
  expect(isTooLongToRun(text)).toBe(expected);
});

test.each(['pi-args', 'workspace.conf'])(
  'a long %s can be saved, but no command is built from it',
  async (path) => {
    const { call } = await servePrompts({ 'agents/scout/SYSTEM.md': 'Hi.' });
    const saved = await call('PUT', '/api/agents/scout/file', { path, content: lines(20_000) });
    expect(saved.status).toBe(200);
    const { status, body } = await call('GET', '/api/agents/scout/run-command');
    expect([status, body.code, body.argv]).toEqual([413, 'file_too_large', undefined]);
    expect(body.error).toContain(`${path} is larger than the limit of 64 KiB or 1,000 words`);
  },
);

test('a prompt leaves out a long pi-args, and says so', async () => {
  const { prompt } = await servePrompts({ 'agents/scout/pi-args': lines(1_001, '--no-tools') });
  const { body } = await prompt();
  expect(body.complete).toBe(false);
  expect(body.unreadable).toEqual(['pi-args is larger than the limit of 64 KiB or 1,000 words']);
});

test('a file that pi-args names many times adds at most 8 MiB to a prompt, and the prompt says so', {
  tags: 'slow',
}, async () => {
  const { prompt, operator } = await servePrompts({
    'agents/scout/pi-args': lines(12, '--append-system-prompt agents/scout/long.md'),
    'agents/scout/long.md': '😀 '.repeat(300 * 1024),
  });
  const { body } = await prompt({}, operator);
  expect(body.text.split('😀')).toHaveLength(9 * 300 * 1024 + 1);
  expect(body.complete).toBe(false);
  expect(body.unreadable).toEqual(['long.md exceeds the limit of 8 MiB for all files of a prompt']);
});
