import { appendFile, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Locator } from '@playwright/test';
import { makeSession } from '../support/session-file.ts';
import { expect } from './fixtures.ts';
import { tabTo } from './keyboard.ts';
import { pricingTest as test } from './pricing-page.ts';
import { simulatedToken } from './wallet-page.ts';

test.use({ signedIn: true });

/** Texts that would run, load or open something, if a page let them. */
const HOSTILE = [
  '<script>window.ran = 1</script><img src="https://evil.example/a.png" onerror="window.ran = 1">',
  '![remote](https://evil.example/b.png) and [a link](javascript:window.ran=1) and [a page](https://evil.example/c)',
  '<iframe src="https://evil.example/d"></iframe><style>@import "https://evil.example/e.css"</style>',
  'invoice\u202egnp.exe',
  `${'>'.repeat(4_000)} deep`,
].join('\n\n');

/** A session with one entry of most kinds. */
const hostileSession = () => {
  const session = makeSession({ startedAtMs: Date.now() - 120_000 });
  session.rename('Parcels \u202efor Mars');
  session.say('Send **three** parcels.');
  const message = (fields: object) => ({
    type: 'message',
    timestamp: new Date().toISOString(),
    message: fields,
  });
  const call = {
    role: 'assistant',
    provider: 'local',
    model: 'small',
    stopReason: 'toolUse',
    content: [
      { type: 'thinking', thinking: 'They want parcels.' },
      { type: 'text', text: HOSTILE },
      { type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: 'ls -la' } },
    ],
    usage: { input: 900, output: 100, cacheRead: 0, cacheWrite: 0, cost: { total: 0.25 } },
  };
  const result = {
    role: 'toolResult',
    toolCallId: 'c1',
    toolName: 'bash',
    content: [
      { type: 'text', text: `total 0 ${'x'.repeat(200_000)}` },
      {
        type: 'image',
        mimeType: 'image/svg+xml',
        data: Buffer.from('<svg onload="window.ran=1"/>').toString('base64'),
      },
    ],
  };
  session.entries.push(message(call), message(result), { type: 'mystery' });
  return session;
};

/** How many pixels of a canvas have the color of a token. */
const pixelsOf = (canvas: Locator, token: string): Promise<number> =>
  canvas.evaluate((element: HTMLCanvasElement, name) => {
    const sample = document.createElement('canvas').getContext('2d');
    const drawn = element.getContext('2d');
    const place = document.createElement('i');
    element.parentElement?.append(place);
    place.style.color = `var(${name})`;
    if (!sample || !drawn) return 0;
    sample.fillStyle = getComputedStyle(place).color;
    place.remove();
    sample.fillRect(0, 0, 1, 1);
    const color = sample.getImageData(0, 0, 1, 1).data.join();
    const { data } = drawn.getImageData(0, 0, element.width, element.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) if (data.subarray(at, at + 4).join() === color) count++;
    return count;
  }, token);

const put = async (path: string, text: string) => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
};

test('lists sessions, finds one, shows its transcript without running or loading anything, and deletes it with undo', async ({
  page,
  served,
}) => {
  const directory = join(served.agent('scout'), 'sessions/--work--');
  const session = hostileSession();
  const path = join(directory, session.fileName);
  await put(path, `${session.text()}{damaged\n`);
  const plain = makeSession();
  plain.say('\nFind the\n\u202elost box\n');
  plain.call({ input: 10 }, { model: 'unheard-of' });
  await put(join(directory, plain.fileName), plain.text());

  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(served.url) && !request.url().startsWith(new URL(served.pageUrl).origin))
      foreign.push(request.url());
  });
  await page.goto(served.pageAt('/agents/scout/sessions'));
  const list = page.getByRole('list', { name: 'Sessions of scout' });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await expect(list).toContainText('Unknown');
  // Nobody named it.
  await expect(list.getByRole('link', { name: 'Find the lost box', exact: true })).toBeVisible();
  await page.getByLabel('Search sessions').fill('parcels mars');
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await expect(list).toContainText('$0.25');
  await page.getByRole('link', { name: 'Parcels ‹U+202E›for Mars' }).click();

  const transcript = page.getByRole('list', { name: 'Transcript' });
  await expect(transcript.locator('strong')).toHaveText('three');
  await expect(transcript).toContainText('1,000 tokens · $0.25');
  await expect(transcript).toContainText('<script>window.ran = 1</script>');
  await expect(transcript).toContainText('a page (https://evil.example/c)');
  await expect(transcript).toContainText('invoice‹U+202E›gnp.exe');
  await expect(transcript).toContainText('Entry of an unknown kind (mystery)');
  await expect(transcript).toContainText('A damaged line');
  await expect(transcript).not.toContainText('They want parcels.');
  // Folded parts open by keyboard.
  for (const name of ['Thinking', /^bash/, 'Result of bash']) {
    await tabTo(page, transcript.getByRole('button', { name }));
    await page.keyboard.press('Enter');
  }
  await expect(transcript).toContainText('They want parcels.');
  await expect(transcript).toContainText('command: ls -la');
  await expect(transcript).toContainText('more characters aren’t shown');
  await expect(transcript).toContainText('Image (image/svg+xml, 1 kB), not shown');
  await expect(transcript.locator('a, img, iframe, script, style, svg[onload]')).toHaveCount(0);
  expect(await page.evaluate('window.ran')).toBeUndefined();
  expect(foreign).toEqual([]);

  // What pi adds is there within a second, and nothing moves the reader.
  const before = session.text().length;
  session.call({ input: 5, usd: 0.5 });
  await appendFile(path, `${session.text().slice(before)}`);
  await expect(transcript).toContainText('$0.50');

  await page.getByRole('button', { name: /^Delete session/ }).click();
  await expect(page.getByText('Deleted Parcels')).toBeVisible();
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await expect(stat(path)).rejects.toThrow('ENOENT');
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(list.getByRole('listitem')).toHaveCount(2);
  expect(await readFile(path, 'utf8')).toContain('mystery');
});

test('shows what an agent earned and spent, also while pi runs, and every section in a narrow window', async ({
  page,
  served,
}) => {
  // Its settings name another directory of the root.
  await put(join(served.agent('scout'), 'settings.json'), '{ "sessionDir": "../../logs/scout" }');
  const directory = join(served.agent('scout'), '../../logs/scout');
  const session = makeSession({ startedAtMs: Date.now() - 5_000 });
  session.call({ input: 1_000, usd: 0.25 });
  const path = join(directory, session.fileName);
  await put(path, session.text());
  await page.goto(served.pageAt('/agents/scout/activity'));
  await expect(page.getByRole('img', { name: /^Sats per day over 30 days/ })).toBeVisible();
  const model = page.getByRole('row', { name: /local\/small/ });
  await expect(model).toContainText('$0.25');
  await expect(page.getByText('No token was received for this agent.')).toBeVisible();
  const before = session.text().length;
  session.call({ input: 1_000, usd: 0.5 });
  await appendFile(path, session.text().slice(before));
  await expect(model).toContainText('$0.75');

  // A payment appears with its bar, and pointing at its day shows the amounts.
  await page.request.post(`${served.url}/api/wallet/receive`, {
    data: { token: simulatedToken(2_100), agent: 'scout' },
  });
  await expect(page.getByText('No token was received for this agent.')).toHaveCount(0);
  const chart = page.getByRole('img', { name: /^Sats per day over 30 days: earned 2,100/ });
  const { width, height } = (await chart.boundingBox()) ?? { width: 0, height: 0 };
  await chart.hover({ position: { x: width - 30, y: height / 2 } });
  await expect(chart.locator('..')).toContainText('Earned 2,100 sat · Spent 1,172 sat');
  // Both bars of the last day have room.
  for (const color of ['--ok', '--accent'])
    expect(await pixelsOf(chart.locator('canvas'), color), color).toBeGreaterThan(100);

  // In a narrow window, the sections that don't fit are in a menu that has the name of the open one.
  await page.setViewportSize({ width: 480, height: 600 });
  const menu = page.getByRole('button', { name: 'More: Activity' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Folder' }).click();
  await expect(page).toHaveURL(/\/agents\/scout\/entries$/);
  const sections = page.getByRole('navigation', { name: 'Sections of scout' });
  await sections.getByRole('link', { name: 'Preview', exact: true }).click();
  await expect(page.getByRole('button', { name: 'More', exact: true })).toBeVisible();
});
