import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLogFile } from '../../src/main/log-file.ts';
import { makeTempDirectory } from '../support/temp.ts';

test('the log never exceeds its limits, and keeps the newest lines', async () => {
  const directory = join(await makeTempDirectory(), 'logs');
  const log = openLogFile(directory, { maxBytes: 100, kept: 2 });
  for (let nth = 0; nth < 50; nth++) log.write(`line ${String(nth).padStart(4, '0')} of the log\n`);
  expect(readdirSync(directory).sort()).toEqual(['dot-mi.1.log', 'dot-mi.2.log', 'dot-mi.log']);
  for (const name of readdirSync(directory))
    expect(statSync(join(directory, name)).size).toBeLessThanOrEqual(100);
  expect(readFileSync(join(directory, 'dot-mi.log'), 'utf8')).toMatch(/line 0049 of the log\n$/);
});

test('another start appends to the log of the last one', async () => {
  const directory = await makeTempDirectory();
  openLogFile(directory).write('first\n');
  openLogFile(directory).write('second\n');
  expect(readFileSync(join(directory, 'dot-mi.log'), 'utf8')).toBe('first\nsecond\n');
});

test('a log that cannot be written goes to standard error and ends nothing', async () => {
  const directory = join(await makeTempDirectory(), 'a-file');
  writeFileSync(directory, '');
  const { href } = new URL('../../src/main/log-file.ts', import.meta.url);
  // The lines go to the descriptor itself, so only another process can hear them.
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { openLogFile } from ${JSON.stringify(href)};
       openLogFile(process.argv[1]).write('what happened\\n');
       process.stdout.write('it goes on');`,
      directory,
    ],
    { encoding: 'utf8' },
  );
  expect([stdout, stderr]).toEqual(['it goes on', 'what happened\n']);
});
