import { rules } from '../../src/server/checks/rules/index.ts';
import type { CheckEdit, Finding } from '../../src/shared/api/checks.ts';

const LEVELS = { error: 'error', warning: 'warning', hint: 'note' } as const;

const uriOf = (file: string): string => file.split('/').map(encodeURIComponent).join('/');

const locationOf = (file: string) => ({ uri: uriOf(file), uriBaseId: 'ROOT' });

const regionOf = ({ line, column, endLine, endColumn }: Omit<CheckEdit, 'text'>) => ({
  startLine: line,
  startColumn: column,
  endLine,
  endColumn,
});

const resultOf = (finding: Finding) => ({
  ruleId: finding.rule,
  ruleIndex: rules.findIndex(({ id }) => id === finding.rule),
  level: LEVELS[finding.severity],
  message: { text: finding.message },
  locations: [
    { physicalLocation: { artifactLocation: locationOf(finding.file), region: regionOf(finding) } },
  ],
  ...(finding.fix
    ? {
        fixes: [
          {
            description: { text: finding.fix.title },
            artifactChanges: [
              {
                artifactLocation: locationOf(finding.file),
                replacements: finding.fix.edits.map((edit) => ({
                  deletedRegion: regionOf(edit),
                  insertedContent: { text: edit.text },
                })),
              },
            ],
          },
        ],
      }
    : {}),
});

/** Findings as a SARIF 2.1.0 log (OASIS), for the code scanning of a repository host. */
export const toSarif = (findings: readonly Finding[], version: string) => ({
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  version: '2.1.0',
  runs: [
    {
      columnKind: 'utf16CodeUnits',
      tool: {
        driver: {
          name: 'dot-mi',
          version,
          rules: rules.map(({ id, severity, title, why }) => ({
            id,
            shortDescription: { text: title },
            fullDescription: { text: why },
            help: { text: why },
            defaultConfiguration: { level: LEVELS[severity] },
          })),
        },
      },
      results: findings.map(resultOf),
    },
  ],
});
