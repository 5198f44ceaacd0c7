import type { Reporter, TestModule } from 'vitest/node';

/** A report of the torture is a few thousand characters. */
const MOST_OF_MESSAGE = 6_000;

/** Prints which tests were skipped and why, and which passed only on retry, after what. The dot report doesn't say so. */
export default class SaySkipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        const why = result.state === 'skipped' ? result.note : undefined;
        process.stdout.write(`skipped: ${test.fullName}: ${why ?? 'no reason given'}\n`);
      }
      for (const test of module.children.allTests('passed')) {
        if (!test.diagnostic()?.flaky) continue;
        process.stdout.write(`flaky: ${test.fullName}\n`);
        for (const { message } of test.result().errors ?? [])
          process.stdout.write(`  before the retry: ${message.slice(0, MOST_OF_MESSAGE)}\n`);
      }
    }
  }
}
