import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { bundledProgram } from '../../support/bundle.ts';
import { runToEnd } from '../../support/run-to-end.ts';

const script = (name: string) => fileURLToPath(new URL(`../../../scripts/${name}.ts`, import.meta.url));

describe.each([
  ['npm start', script('start'), '--help'],
  ['npm run serve', script('serve'), '--help'],
  ['node out/main/headless.cjs', bundledProgram('headless'), '-h'],
])('%s', (command, path, help) => {
  test(`explains its arguments for ${help} and starts nothing`, async () => {
    const { code, out, err, written } = await runToEnd(path, help, '--trust-root');
    expect([code, err, written]).toEqual([0, '', []]);
    expect(out).toContain(`Usage: ${command}`);
    expect(out).toContain('--renew-operator-token');
  });

  test('refuses an unknown argument before it starts anything, and names the nearest', async () => {
    const { code, out, err, written } = await runToEnd(path, '--trust-rot', 'extra');
    expect([code, out, written]).toEqual([2, '', []]);
    expect(err).toMatch(/^"--trust-rot" is not a known argument\. Did you mean --trust-root\?\n"extra" is/);
    expect(err).toContain(`Usage: ${command}`);
  });
});
