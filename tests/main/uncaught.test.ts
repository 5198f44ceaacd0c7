import { EventEmitter } from 'node:events';
import { beforeEach, expect, test } from 'vitest';
import { endOnUncaught } from '../../src/main/failure.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { app, dialog } from '../support/electron-double.ts';
import { eventually } from '../support/eventually.ts';

const SECRET = 'cashuBo2FteBtodHRwczovL21pbnQ';

const watch = () => {
  const lines: string[] = [];
  const source = new EventEmitter();
  const closing = Promise.withResolvers<void>();
  let closes = 0;
  endOnUncaught(
    {
      logger: createLogger('info', { write: (line) => lines.push(line) }),
      logDirectory: '/data/logs',
      close: () => {
        closes += 1;
        return closing.promise;
      },
    },
    source,
  );
  return { lines, source, closing, closes: () => closes };
};

beforeEach(() => {
  app.exits.length = 0;
  dialog.said.length = 0;
  dialog.details.length = 0;
});

test.each(['uncaughtException', 'unhandledRejection'])(
  '%s ends the server cleanly, is reported, and the program exits with 1',
  async (name) => {
    const { lines, source, closing, closes } = watch();
    source.emit(name, Object.assign(new TypeError('x is not a function'), { code: 'ERR_X' }));
    // What fails meanwhile is written down, and changes nothing.
    source.emit(name, new Error('another'));
    await new Promise(setImmediate);
    expect([closes(), app.exits, dialog.said]).toEqual([1, [], []]);
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 50,
      error: {
        type: 'TypeError',
        code: 'ERR_X',
        frames: expect.arrayContaining([expect.stringMatching(/^at .*uncaught\.test/)]),
      },
    });
    closing.resolve();
    await eventually(() => expect(app.exits).toEqual([1]));
    expect(dialog.said).toEqual(['dot-mi has to quit']);
    expect(dialog.details).toEqual([expect.stringMatching(/in \/data\/logs$/)]);
  },
);

test('text that an error quotes is neither logged nor shown', async () => {
  const { lines, source, closing } = watch();
  const quoting = Object.assign(new SyntaxError(`no JSON: ${SECRET}\n    at ${SECRET}`), { token: SECRET });
  for (const error of [quoting, SECRET, { token: SECRET }]) source.emit('unhandledRejection', error);
  closing.resolve();
  await eventually(() => expect(app.exits).toEqual([1]));
  expect(lines).toHaveLength(3);
  expect([...lines, ...dialog.said, ...dialog.details].join()).not.toContain(SECRET);
});

test('neither a log that cannot be written nor a dialog that cannot be shown delays the exit', async () => {
  const source = new EventEmitter();
  let closes = 0;
  const logger = {
    ...createLogger('silent'),
    error: () => {
      throw new Error('EBADF');
    },
  };
  const close = async () => {
    closes += 1;
  };
  endOnUncaught({ logger, logDirectory: '/data/logs', close }, source);
  const rejections: unknown[] = [];
  const note = (reason: unknown) => void rejections.push(reason);
  process.on('unhandledRejection', note);
  source.emit('uncaughtException', new Error('x'));
  await eventually(() => expect(app.exits).toEqual([1]));
  process.off('unhandledRejection', note);
  expect(closes).toBe(1);
});
