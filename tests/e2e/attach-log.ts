import { writeFile } from 'node:fs/promises';
import type { TestInfo } from '@playwright/test';

/** Keeps what a program under test printed in a file, which the report of a failed test names. */
export const attachLog = async (testInfo: TestInfo, name: string, log: string): Promise<void> => {
  if (testInfo.status === testInfo.expectedStatus || log === '') return;
  const path = testInfo.outputPath(`${name}.log`);
  await writeFile(path, log);
  await testInfo.attach(`the log of ${name}`, { path, contentType: 'text/plain' });
};
