import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { makeRoot } from '../../support/root.ts';
import { serve as startServer } from '../../support/server.ts';
import { spawnServer } from '../../support/server-process.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const SERVE = fileURLToPath(new URL('../../../scripts/serve.ts', import.meta.url));

/** What `npm run serve` printed until it ended by itself. */
const serve = async (environment: Record<string, string>) => {
  const cwd = await makeTempDirectory();
  const child = spawn(process.execPath, [SERVE], { cwd, env: { PATH: process.env.PATH, ...environment } });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  return { code, out, err: err.trim() };
};

test('says that the port is taken before it builds anything', async () => {
  const port = await freePort();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { code, out, err } = await serve({ PORT: String(port) });
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(`Port ${port} `);
  expect(err.split('\n')).toHaveLength(1);
});

test('says that dot-mi already runs and where, before it builds anything', async () => {
  const root = await makeRoot();
  const { url } = await startServer(root);
  const { code, out, err } = await serve({ PORT: new URL(url).port });
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`dot-mi is already running (version 0.1.0, root ${root}).`);
  expect(out).toContain(`page  ${url}`);

  // So does the server itself, without a build.
  const second = await spawnServer({ PORT: new URL(url).port });
  expect(await second.exited).toBe(0);
  expect(second.stdout()).toContain(`page  ${url}`);
});

test('says what is wrong with a setting before it builds anything', async () => {
  const { code, out, err } = await serve({ PORT: 'abc' });
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('PORT');
  expect(err.split('\n')).toHaveLength(1);
});
