import { expect, test } from 'vitest';
import { createGuessLimit } from '../../src/server/http/guess-limit.ts';
import { makeClock } from '../support/clock.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

/** API_TOKEN is chosen by a person, so guesses of it are compared rarely. */

const SECRET = 'correct-horse-battery';
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const start = () => {
  const clock = makeClock();
  const limit = createGuessLimit(clock);
  const compared: string[] = [];
  const results: [token: string, isRight: boolean][] = [];
  const guess = (token: string, client = 'guesser') =>
    limit.compare({
      client,
      isRight() {
        compared.push(token);
        return token === SECRET;
      },
      done: (isRight) => results.push([token, isRight]),
    });
  const alarm = () => {
    for (let at = 0; at < 20; at++) guess(`wrong ${at}`);
    compared.length = 0;
    results.length = 0;
  };
  return { clock, guess, compared, results, alarm };
};

test('after twenty wrong tokens in a minute, one is compared each second, even if clients hang up', () => {
  const { clock, guess, compared, alarm } = start();
  alarm();
  for (let second = 0; second < 120; second++) {
    for (let at = 0; at < 50; at++) guess(`guess ${second}-${at}`)();
    guess(`patient ${second}`);
    clock.pass(1_000);
  }
  expect(compared.length).toBeLessThanOrEqual(121);
});

test('a right token that finds no place is not compared, and the next one that does gets in', () => {
  const { clock, guess, compared, results, alarm } = start();
  alarm();
  for (let at = 0; at < 11; at++) guess(`guess ${at}`);
  guess(SECRET);
  expect([compared, results.at(-1)]).toEqual([['guess 0'], [SECRET, false]]);
  clock.pass(1_000);
  guess(SECRET);
  for (let second = 0; second < 10; second++) clock.pass(1_000);
  expect(results.at(-1)).toEqual([SECRET, true]);
});

test('addresses take turns, so a crowded one does not lock out another', () => {
  const { clock, guess, results, alarm } = start();
  alarm();
  for (let at = 0; at < 100; at++) guess(`guess ${at}`);
  guess(SECRET, 'operator');
  clock.pass(1_000);
  for (let at = 0; at < 100; at++) guess(`more ${at}`);
  clock.pass(1_000);
  expect(results).toContainEqual([SECRET, true]);
  expect(results).not.toContainEqual([SECRET, false]);
});

test('the limit ends a minute after the last guesses', () => {
  const { clock, guess, compared, alarm } = start();
  alarm();
  clock.pass(60_000);
  for (let at = 0; at < 10; at++) guess(SECRET);
  expect(compared).toHaveLength(10);
});

test('wrong tokens on any route slow down the guesses on all, and keep each route’s response', async () => {
  const clock = makeClock(new Date().toISOString());
  const root = await makeRoot();
  const server = await serve(root, { clock, environment: { API_TOKEN: SECRET } });
  const health = (token: string) => server.call('GET', '/api/health', undefined, bearer(token));
  for (let at = 0; at < 20; at++) {
    const { status, body } = await health(`wrong-${at}`);
    expect([status, body.ok, body.dotMiRoot]).toEqual([200, true, undefined]);
  }
  expect((await health('compared')).body.dotMiRoot).toBeUndefined();
  let answered = 0;
  const crowd = Array.from({ length: 40 }, (_, at) =>
    health(`crowd-${at}`).then(({ status }) => {
      answered += 1;
      return status;
    }),
  );
  // Ten of them wait for a comparison.
  await until(() => answered >= 30);
  for (let at = 0; at < 5; at++) {
    const { status, body } = await health(SECRET);
    expect([status, body.ok, body.dotMiRoot]).toEqual([200, true, undefined]);
  }
  const agents = await server.call('GET', '/api/agents', undefined, bearer(SECRET));
  expect([agents.status, agents.body.code]).toEqual([401, 'unauthorized']);
  for (const token of [server.operatorToken, server.pageToken])
    expect((await health(token)).body.dotMiRoot).toBe(root);
  for (let second = 0; second < 10; second++) clock.pass(1_000);
  expect(await Promise.all(crowd)).toEqual(Array(40).fill(200));
  clock.pass(1_000);
  expect((await health(SECRET)).body.dotMiRoot).toBe(root);
});
