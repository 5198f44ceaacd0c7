import { connect } from 'node:net';
import type { Page } from '@playwright/test';
import { type Desktop, expect, isAnswering, type Place, test } from './desktop-fixtures.ts';
import { SIMULATED_MINT, simulatedToken } from './wallet-page.ts';

const environment = { MINT_URL: SIMULATED_MINT };
const field = (page: Page) => page.getByRole('textbox', { name: 'Cashu token' });

/** Quits a program whose server then waits for a request. Returns the function that ends the request. */
const beginShutdown = async (desktop: Desktop) => {
  const { origin, host, port } = new URL((await desktop.page()).url());
  const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  socket.write(
    `PUT /api/settings HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  );
  // The server has read the request once it answers a later one.
  expect(await isAnswering(`${origin}/api/health`)).toBe(true);
  desktop.shell.tell('quit');
  await expect.poll(() => isAnswering(`${origin}/api/health`)).toBe(false);
  return () => socket.destroy();
};

const relaunches = ({ recordedCalls }: Desktop) => recordedCalls.filter(({ kind }) => kind === 'relaunch');

/** Starts the program that the last one left to be started, and expects its links. */
const expectNextStart = async (place: Place, ...tokens: string[]) => {
  const page = await (await place.launch({ environment })).page();
  for (const [index, token] of tokens.entries()) {
    if (index > 0) await page.getByRole('button', { name: 'Put it in the field' }).click();
    await expect(field(page)).toHaveValue(token);
  }
  await expect(page.getByRole('button', { name: 'Put it in the field' })).toHaveCount(0);
};

/** A window that holds a token, so that a quit asks. `ask` resolves with the question, which nobody answers. */
const openQuestion = async (place: Place) => {
  const desktop = await place.launch({ environment });
  await desktop.shell.ask('app', 'open-url', `cashu:${simulatedToken(8)}`);
  await expect(field(await desktop.page())).toHaveValue(simulatedToken(8));
  const asked = Promise.withResolvers<void>();
  desktop.answer(() => {
    asked.resolve();
    return new Promise(() => undefined);
  });
  return { desktop, ask: asked.promise };
};

test('two launches at once lose no link: one opens the window, and the other passes its link on', async ({
  place,
}) => {
  const [a, b] = [simulatedToken(1), simulatedToken(2)];
  const both = await Promise.all(
    [a, b].map((token) => place.launch({ environment, argv: ['--', `cashu:${token}`] })),
  );
  const first = await Promise.any(both.map(async (desktop) => desktop.page().then(() => desktop)));
  const [second] = both.filter((desktop) => desktop !== first);
  expect(await second?.exited).toBe(0);
  const page = await first.page();
  await expect(field(page)).toHaveValue(first === both[0] ? a : b);
  await page.getByRole('button', { name: 'Put it in the field' }).click();
  await expect(field(page)).toHaveValue(first === both[0] ? b : a);
});

test('a launch during the shutdown starts the program again, with its link', async ({ place }) => {
  const desktop = await place.launch({ environment, argv: ['--hidden'] });
  const end = await beginShutdown(desktop);
  const token = simulatedToken(4);
  const second = await place.launch({ environment, argv: ['--', `cashu:${token}`] });
  expect(await second.exited).toBe(0);
  expect(relaunches(desktop)).toEqual([]);
  end();
  expect(await desktop.exited).toBe(0);
  // Nothing of this start alone, and no token in the arguments, which other programs can read.
  expect(relaunches(desktop)).toEqual([
    {
      kind: 'relaunch',
      execPath: expect.stringContaining('dot-mi'),
      args: [expect.stringContaining('index.cjs')],
    },
  ]);
  // No second window opened over a server that was ending.
  expect(desktop.state(2)).toEqual({});
  await expectNextStart(place, token);
});

test('links during the shutdown are offered at the next start', async ({ place }) => {
  const desktop = await place.launch({ environment });
  const end = await beginShutdown(desktop);
  const tokens = [simulatedToken(8), simulatedToken(16)];
  for (const token of tokens) await desktop.shell.ask('app', 'open-url', `cashu:${token}`);
  end();
  expect(await desktop.exited).toBe(0);
  expect(relaunches(desktop)).toHaveLength(1);
  await expectNextStart(place, ...tokens);
});

test('a second SIGTERM while the first one waits for an answer ends the program in order', async ({
  place,
}) => {
  const { desktop, ask } = await openQuestion(place);
  desktop.signal('SIGTERM');
  await ask;
  desktop.signal('SIGTERM');
  expect(await desktop.exited).toBe(0);
});

test('each SIGTERM asks again after a person stayed', async ({ place }) => {
  const { desktop } = await openQuestion(place);
  desktop.answer({ response: 0, checkboxChecked: false });
  for (const asked of [1, 2]) {
    desktop.signal('SIGTERM');
    await expect.poll(() => desktop.said().length).toBe(asked);
    // A signal can overtake the answer. Both round trips come after it.
    await expect(field(await desktop.page())).toHaveValue(simulatedToken(8));
    await desktop.session('notifications');
  }
});

test('an undisturbed quit restarts nothing and keeps no link', async ({ place }) => {
  const desktop = await place.launch({ environment });
  // Right after a page began, a close once never ended, under load.
  await (await desktop.page()).waitForLoadState();
  expect(await desktop.quit()).toBe(0);
  expect(relaunches(desktop)).toEqual([]);
});
