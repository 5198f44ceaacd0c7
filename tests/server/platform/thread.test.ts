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

const MODULE = JSON.stringify(new URL('../../../src/server/platform/thread.ts', import.meta.url).href);
/** A thread that never answers "slow", is stuck in "stuck", and repeats everything else. */
const HANDLER = new URL(
  `data:text/javascript,import { handleRequests } from ${MODULE};
   handleRequests((question) => {
     if (question === 'stuck') for (;;);
     return question === 'slow' ? new Promise(() => setInterval(() => {}, 1000)) : question;
   });`,
);

test('the time of a request begins when the thread has loaded its module', async () => {
  const slow = new URL(
    `data:text/javascript,import { handleRequests } from ${MODULE};
     const end = Date.now() + 2_500;
     while (Date.now() < end);
     handleRequests((question) => question);`,
  );
  const thread = createThread<string, string>(slow, { name: 'slow to start', workerData: null });
  expect(await thread.ask('hello', 100)).toBe('hello');
  await thread.close();
});

test('a request that takes too long fails alone, and one that a thread is stuck in ends the thread', {
  tags: 'slow',
}, async () => {
  const ends: unknown[] = [];
  const thread = createThread<string, string>(HANDLER, {
    name: 'busy',
    workerData: null,
    onEnd: (error) => ends.push(error),
  });
  const other = expect(thread.ask('slow')).rejects.toThrow('the busy thread ended');
  await expect(thread.ask('slow', 50)).rejects.toThrow('a request to the busy thread took too long');
  expect(await thread.ask('hello')).toBe('hello');
  expect(ends).toEqual([]);

  await expect(thread.ask('stuck', 50)).rejects.toThrow('the busy thread ended');
  await other;
  expect(await thread.ask('hello')).toBe('hello');
  await thread.close();
});
