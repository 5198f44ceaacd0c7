import { join } from 'node:path';
import { plant, SMALL_ROOT, type Tree } from './plant.ts';
import { makeTempDirectory } from './temp.ts';

export { plant, type Tree } from './plant.ts';

/** Creates the small test root, for as long as the test runs. `more` is planted on top. */
export const makeRoot = async (more: Tree = {}): Promise<string> => {
  const root = join(await makeTempDirectory(), 'root');
  await plant(root, { ...SMALL_ROOT, ...more });
  return root;
};
