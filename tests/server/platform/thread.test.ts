import { expect, test } from 'vitest';
import { createThread } from '../../../src/server/platform/thread.ts';

/** A thread that gets questions and answers none. */
const SILENT = new URL(
  `data:text/javascript,import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {});`,
);

test('closing a thread tells pending and later questions to try again', async () => {
  const thread = createThread<string, string>(SILENT, { name: 'silent', workerData: null });
  const answer = expect(thread.ask('anyone?')).rejects.toMatchObject({
    code: 'restarting',
    details: { retryAfterSeconds: 1 },
  });
  await thread.close();
  await answer;
  await expect(thread.ask('still there?')).rejects.toMatchObject({ code: 'restarting' });
});

test('a thread that crashes fails its question, and the next question starts a new one', async () => {
  const thread = createThread<string, string>(
    new URL(
      `data:text/javascript,import { parentPort } from 'node:worker_threads';
       parentPort.on('message', ({ number, value }) =>
         value === 'end' ? process.exit() : parentPort.postMessage({ number, value: value.toUpperCase() }));`,
    ),
    { name: 'fragile', workerData: null },
  );
  await expect(thread.ask('end')).rejects.toThrow('the fragile thread ended');
  expect(await thread.ask('hello')).toBe('HELLO');
  await thread.close();
});
