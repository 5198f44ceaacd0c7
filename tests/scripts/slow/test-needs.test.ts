import { spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { NO_OUTSIDE } from '../../support/no-outside.ts';
import { plant } from '../../support/plant.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const SCRIPT = fileURLToPath(new URL('../../../scripts/test-needs.ts', import.meta.url));

/** Runs it where PATH has only `programs`, which are shell scripts that may use `$BIN`. */
const runWith = async (programs: Record<string, string>) => {
  const bin = await makeTempDirectory();
  const scripts = Object.entries(programs).map(([name, line]) => [name, `#!/bin/sh\n${line}\n`] as const);
  await plant(bin, Object.fromEntries(scripts));
  for (const [name] of scripts) await chmod(`${bin}/${name}`, 0o755);
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, '--all'], {
    encoding: 'utf8',
    env: {
      PATH: bin,
      BIN: bin,
      PLAYWRIGHT_BROWSERS_PATH: bin,
      // Nothing can be downloaded there. Playwright tries it five times, which makes this test slow.
      PLAYWRIGHT_DOWNLOAD_HOST: 'http://127.0.0.1:9',
      ...NO_OUTSIDE,
    },
  });
  return { status, stdout, stderr };
};

// Elsewhere, Chrome is looked for in fixed places too.
describe.skipIf(process.platform !== 'linux')('what the tests need', () => {
  test('is installed with apt-get, after a line that says how long that takes', async () => {
    const { status, stdout, stderr } = await runWith({
      'apt-get': 'case "$*" in (*chromium*) : > "$BIN/chromium" ;; esac',
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('zsh. This takes about a minute.');
    expect(stdout).toContain('No Chromium found. Installing one. This takes one to three minutes.');
  });

  test('is named in one sentence where it can’t be installed', async () => {
    const { status, stdout, stderr } = await runWith({});
    expect(status).toBe(1);
    expect(stdout).toContain('Tests that need one of them are skipped.');
    expect(stderr).toBe(
      'dot-mi could not install Chromium, so install it yourself, and set CHROMIUM_PATH to its program file if it is not on PATH.\n',
    );
  }, 180_000);
});
