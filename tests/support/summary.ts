import { writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

/** What a run of Vitest came to, for `scripts/test.ts`. */
export interface TestSummary {
  readonly passed: number;
  readonly failed: number;
  /** A line for each test that was skipped, with the reason. */
  readonly skipped: readonly string[];
  /** The tests that passed only on a retry. */
  readonly flaky: readonly string[];
  /** How long the tests of each file took, in milliseconds. */
  readonly filesMs: Readonly<Record<string, number>>;
}

/** The tag of slow tests; see vitest.config.ts. */
const SLOW = 'slow';
/** A report of the torture is a few thousand characters. */
const MAX_MESSAGE_LENGTH = 6_000;

/** Writes a {@link TestSummary} to the file that the variable TEST_SUMMARY names. */
export default class Summary implements Reporter {
  private tagsFilter: readonly string[] = [];

  onInit({ config }: Vitest): void {
    this.tagsFilter = config.tagsFilter ?? [];
  }

  /** Whether the other part of the tests has it. Vitest reports such a test as skipped. */
  private isOfOtherPart(test: TestCase): boolean {
    const [filter] = this.tagsFilter;
    return filter !== undefined && test.tags.includes(SLOW) === filter.startsWith('!');
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()]);
    const named = (test: TestCase) => `${test.module.relativeModuleId}: ${test.fullName}`;
    const skipped = tests.flatMap((test) => {
      const result = test.result();
      if (result.state !== 'skipped' || this.isOfOtherPart(test)) return [];
      return [`${named(test)}: ${result.note ?? 'no reason given'}`];
    });
    const flaky = tests
      .filter((test) => test.result().state === 'passed' && test.diagnostic()?.flaky)
      .map((test) => {
        const [error] = test.result().errors ?? [];
        return `${named(test)}\n  before the retry: ${error?.message.slice(0, MAX_MESSAGE_LENGTH) ?? 'no error'}`;
      });
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const summary: TestSummary = {
      passed: count('passed'),
      failed: count('failed'),
      skipped,
      flaky,
      filesMs: Object.fromEntries(
        modules.map((module) => [module.relativeModuleId, module.diagnostic().duration]),
      ),
    };
    const file = process.env.TEST_SUMMARY;
    if (file) writeFileSync(file, JSON.stringify(summary));
  }
}
