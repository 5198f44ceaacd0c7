import type { Reporter, TestModule } from 'vitest/node';

/** Says at the end which tests were skipped and why; the report of dots counts them only. */
export default class SaySkipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules)
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        const why = result.state === 'skipped' ? result.note : undefined;
        process.stdout.write(`skipped: ${test.fullName}: ${why ?? 'no reason given'}\n`);
      }
  }
}
