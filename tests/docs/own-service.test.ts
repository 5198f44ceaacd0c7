/** The program of docs/sell.md, "Your own service", sells as the document says. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { cashuHeader, send } from '../support/customers/post.ts';
import { firstQuick } from '../support/first-quick.ts';
import { openTill } from '../support/paid-service.ts';
import { until } from '../support/raw-http.ts';
import { makeTempDirectory } from '../support/temp.ts';

const SELL = fileURLToPath(new URL('../../docs/sell.md', import.meta.url));
const LIBRARY = fileURLToPath(new URL('../../resources/starter-root/shared/lib/', import.meta.url));

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

/** Runs the document's program at a free port, for the dot-mi at `apiUrl`. */
const startShout = async (apiUrl: string, key: string): Promise<string> => {
  const [, program = ''] = /^```js\n(.*?)^```/ms.exec(await readFile(SELL, 'utf8')) ?? [];
  const port = await freePort();
  const directory = await makeTempDirectory();
  await cp(LIBRARY, directory, { recursive: true });
  const placed = program.replace('http://127.0.0.1:8000', apiUrl).replace('listen(8500', `listen(${port}`);
  expect(placed).toContain(apiUrl);
  expect(placed).toContain(String(port));
  await writeFile(join(directory, 'shout.mjs'), placed);
  const child = spawn(process.execPath, ['shout.mjs'], {
    cwd: directory,
    env: { PATH: process.env.PATH, DOT_MI_KEY: key },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  const url = `http://127.0.0.1:${port}/`;
  await until(() =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  return url;
};

for (const [tags, rows] of firstQuick(1, [
  { name: 'a short text', length: 201, advance: 5, charged: 2 },
  { name: 'a long text', length: 1_201, advance: 9, charged: 7 },
]))
  test.each(rows)(
    'the document’s own service sells $name',
    { tags },
    async ({ length, advance, charged }) => {
      const { mint, wallet, key } = await openTill();
      const url = await startShout(wallet.url, key);
      // JSON adds two quotation marks.
      const body = 'x'.repeat(length - 2);
      const asked = await send(url, { body });
      expect([asked.status, asked.body]).toMatchObject([402, { amount: advance }]);
      const bought = await send(url, { body, token: mint.issue(16) });
      expect([bought.status, bought.body]).toMatchObject([200, { charged, text: `"${body.toUpperCase()}"` }]);
      expect(mint.unspent([cashuHeader(bought) ?? ''])).toBe(16 - charged);
    },
  );
