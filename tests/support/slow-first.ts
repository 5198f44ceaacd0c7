import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of a minute or more. One that begins last is waited for by a whole machine. */
const SLOW = ['wallet/crash.test.ts', 'wallet/recovery.test.ts', 'wallet/recovery-steps.test.ts'];

/** Runs the slow files first: on a clean checkout vitest knows of no durations, and goes by size. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = SLOW.findIndex((name) => moduleId.endsWith(name));
      return index === -1 ? SLOW.length : index;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
