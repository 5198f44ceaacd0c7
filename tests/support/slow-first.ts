import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take a minute or more. If one starts last, a whole machine waits for it. */
const SLOW = [
  'server/shared-root.test.ts',
  'wallet/crash.test.ts',
  'wallet/restore-search.test.ts',
  'wallet/rollback.test.ts',
  'wallet/recovery-steps.test.ts',
  'wallet/twins.test.ts',
  'wallet/recovery.test.ts',
  'wallet/limits.test.ts',
];

/** Runs the slow files first: on a clean checkout vitest knows no durations, and sorts by size. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = SLOW.findIndex((name) => moduleId.endsWith(name));
      return index === -1 ? SLOW.length : index;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
