import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFailed } from 'vitest';

const PREFIX = 'dot-mi-test-log-';

/** What a program under test printed. */
export interface KeptLog {
  write(text: string | Buffer): void;
  text(): string;
}

/**
 * Keeps what a program under test prints away from the runner's own output. If the test fails, it writes all of it to a
 * file, and the failure names that file.
 */
export const keepLog = (name: string): KeptLog => {
  const parts: string[] = [];
  const text = () => parts.join('');
  onTestFailed(({ task }) => {
    if (parts.length === 0) return;
    const path = join(mkdtempSync(join(tmpdir(), PREFIX)), `${name}.log`);
    writeFileSync(path, text());
    for (const error of task.result?.errors ?? []) error.message += `\nThe log of ${name} is in ${path}`;
  });
  return { write: (part) => void parts.push(String(part)), text };
};
