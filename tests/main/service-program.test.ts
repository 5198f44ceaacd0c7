import { afterEach, expect, test } from 'vitest';
import { startUtilityProgram } from '../../src/main/service-program.ts';
import type { StartedProgram } from '../../src/server/selling/service-process.ts';
import { app } from '../support/electron-double.ts';
import { plant } from '../support/plant.ts';
import { makeTempDirectory } from '../support/temp.ts';

afterEach(() => app.becomeReady());

const ended = (program: StartedProgram) => new Promise<void>((resolve) => program.onExit(resolve));

const textOf = async (stream: AsyncIterable<unknown>) => {
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  return text;
};

/** A program with this source, which is started with the argument `x`. */
const start = async (source: string) => {
  const directory = await makeTempDirectory();
  await plant(directory, { 'program.mjs': source });
  return startUtilityProgram(`${directory}/program.mjs`, ['x'], { PATH: '/somewhere', NAMED: 'yes' });
};

test('a program gets its arguments and environment, without the app’s other variables, and its output is read', async () => {
  const program = await start(
    'console.log(process.argv[2], process.env.PATH, process.env.NAMED, process.env.HOME); console.error("bad"); process.exitCode = 3',
  );
  const [out, err] = await Promise.all([textOf(program.stdout), textOf(program.stderr), ended(program)]);
  expect([out, err]).toEqual(['x /somewhere yes undefined\n', 'bad\n']);
});

test('a program that is asked to end can finish its work, and one that does not is killed', {
  tags: 'slow',
}, async () => {
  const polite = await start(
    'process.on("message", () => { console.log("done"); process.exit() }); console.log("up"); setInterval(() => 0, 1000)',
  );
  const heard: string[] = [];
  polite.stdout.on('data', (chunk) => {
    heard.push(String(chunk));
    if (heard.length === 1) polite.kill(false);
  });
  await ended(polite);
  expect(heard).toEqual(['up\n', 'done\n']);
  const stubborn = await start(
    'process.on("message", () => 0); console.log("up"); setInterval(() => 0, 1000)',
  );
  stubborn.stdout.once('data', () => {
    stubborn.kill(false);
    stubborn.kill(true);
  });
  await ended(stubborn);
});

test('a program waits for Chromium, and one that is stopped before never starts', {
  tags: 'slow',
}, async () => {
  app.becomeUnready();
  const waiting = await start('console.log("up")');
  const stopped = await start('console.log("up")');
  stopped.kill(false);
  app.becomeReady();
  await ended(stopped);
  expect(stopped.stdout.readableLength).toBe(0);
  expect(await textOf(waiting.stdout)).toBe('up\n');
});
