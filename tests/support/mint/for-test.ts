import { onTestFinished } from 'vitest';
import { makeTempDirectory } from '../temp.ts';
import { startTestMint, type TestMint, type TestMintOptions } from './test-mint.ts';
import { startTestMintProcess, type TestMintProcess } from './test-mint-process.ts';

/** A mint in this process that ends with the test. */
export const testMint = async (options?: TestMintOptions): Promise<TestMint> => {
  const mint = await startTestMint(options);
  onTestFinished(() => mint.close());
  return mint;
};

/** A mint in its own process that ends with the test. Its default directory is then removed. */
export const testMintProcess = async (options: TestMintOptions = {}): Promise<TestMintProcess> => {
  const directory = options.directory ?? (await makeTempDirectory());
  const mint = await startTestMintProcess({ ...options, directory });
  onTestFinished(() => mint.close());
  return mint;
};
