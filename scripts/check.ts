// `npm run check -- ROOT [--json | --sarif] [--fix]`: checks the agents and the shared skills of a root. Exits with
// 1 if there is an error, and with 2 if it could not check. `--fix` applies the safe fixes first.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../package.json' with { type: 'json' };
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';
import { parseModels } from '../src/server/pricing/parse-models.ts';
import type { Finding } from '../src/shared/api/checks.ts';
import { checkRoot, type RootChecks } from './check/check-root.ts';
import { fixRoot } from './check/fix-root.ts';
import { toSarif } from './check/sarif.ts';

const USAGE = `Checks the agents and the shared skills of a root.

Usage: npm run check -- ROOT [--json | --sarif] [--fix]

  --json, --sarif         print the findings in this format
  --fix                   apply the safe fixes first
${HELP_LINE}`;

/** The prices of the dot-mi that runs here, or else the ones that ship with it. */
const MODEL_FILES = ['data/model_pricing.json', '../resources/model_pricing.json'].map((path, index) =>
  index === 0 ? resolve(path) : fileURLToPath(new URL(path, import.meta.url)),
);

const pricedModels = (): readonly string[] | undefined => {
  const path = MODEL_FILES.find((file) => existsSync(file));
  const models = path === undefined ? undefined : parseModels(readFileSync(path, 'utf8')).models;
  return models && [...models.keys()];
};

const many = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const lineOf = ({ file, line, column, severity, message, rule }: Finding) =>
  `${file}:${line}:${column}: ${severity}: ${message} [${rule}]`;

const summaryOf = ({ findings, agents, skills, truncated }: RootChecks): string => {
  const count = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length;
  const found = `${many(count('error'), 'error')}, ${many(count('warning'), 'warning')}, ${many(count('hint'), 'hint')}`;
  const more = truncated ? ' More findings are not listed, or not all files were checked.' : '';
  return `${found} in ${many(agents, 'agent')} and ${many(skills, 'shared skill')}.${more}`;
};

const readArguments = () => {
  const { values, positionals } = readCommandLine(
    USAGE,
    { json: { type: 'boolean' }, sarif: { type: 'boolean' }, fix: { type: 'boolean' } },
    { positionals: /./ },
  );
  const [root, ...others] = positionals;
  if (root === undefined || others.length > 0 || (values.json && values.sarif)) throw new Error(USAGE);
  if (!statSync(join(root, 'agents'), { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${root} is not a dot-mi root: it has no folder "agents". Name the folder of a root.`);
  return { root, ...values };
};

const run = async (): Promise<void> => {
  const { root, json, sarif, fix } = readArguments();
  const models = pricedModels();
  let checked = checkRoot(root, models);
  if (fix) {
    const fixed = await fixRoot(root, checked.findings);
    console.error(`Fixed ${many(fixed, 'finding')}.`);
    if (fixed > 0) checked = checkRoot(root, models);
  }
  const { findings, truncated } = checked;
  if (sarif) console.log(JSON.stringify(toSarif(findings, packageJson.version), null, 2));
  else if (json) console.log(JSON.stringify({ findings, truncated }, null, 2));
  else {
    for (const finding of findings) console.log(lineOf(finding));
    console.log(summaryOf(checked));
  }
  process.exitCode = findings.some(({ severity }) => severity === 'error') ? 1 : 0;
};

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
