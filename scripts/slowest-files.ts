import { relative } from 'node:path';

/** The parts of Vitest's JSON report that are read here. */
export interface VitestReport {
  readonly testResults?: readonly {
    readonly name: string;
    readonly startTime: number;
    readonly endTime: number;
  }[];
}

interface Spec {
  readonly title: string;
  readonly tests: readonly {
    readonly status: string;
    readonly results: readonly { readonly duration: number }[];
  }[];
}

interface Suite {
  readonly specs?: readonly Spec[];
  readonly suites?: readonly Suite[];
}

/** The parts of Playwright's JSON report that are read here. */
export interface PlaywrightReport {
  readonly suites?: readonly (Suite & { readonly file: string })[];
}

const specsIn = ({ specs = [], suites = [] }: Suite): readonly Spec[] => [
  ...specs,
  ...suites.flatMap(specsIn),
];

const durationOf = ({ tests }: Spec): number =>
  tests.flatMap(({ results }) => results).reduce((sum, { duration }) => sum + duration, 0);

/** The slowest test files of both runners as lines, the slowest first: seconds, then the path. */
export const slowestFiles = (
  root: string,
  unit: VitestReport | undefined,
  endToEnd: PlaywrightReport | undefined,
  count: number,
): string[] => {
  const files: [path: string, ms: number][] = [
    ...(unit?.testResults ?? []).map(({ name, startTime, endTime }): [string, number] => [
      relative(root, name),
      endTime - startTime,
    ]),
    ...(endToEnd?.suites ?? []).map((suite): [string, number] => [
      `tests/e2e/${suite.file}`,
      specsIn(suite).reduce((sum, spec) => sum + durationOf(spec), 0),
    ]),
  ];
  return files
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([path, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${path}`);
};

/** The end-to-end tests that passed only on a retry. */
export const flakyTests = (endToEnd: PlaywrightReport | undefined): string[] =>
  (endToEnd?.suites ?? []).flatMap((suite) =>
    specsIn(suite)
      .filter(({ tests }) => tests.some(({ status }) => status === 'flaky'))
      .map(({ title }) => `${suite.file}: ${title}`),
  );
