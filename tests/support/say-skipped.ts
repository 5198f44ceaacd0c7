import type { Reporter, TestModule } from 'vitest/node';

/** Prints which tests were skipped and why, and which passed only on retry. The dot report doesn't say so. */
export default class SaySkipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        const why = result.state === 'skipped' ? result.note : undefined;
        process.stdout.write(`skipped: ${test.fullName}: ${why ?? 'no reason given'}\n`);
      }
      for (const test of module.children.allTests('passed'))
        if (test.diagnostic()?.flaky) process.stdout.write(`flaky: ${test.fullName}\n`);
    }
  }
}
