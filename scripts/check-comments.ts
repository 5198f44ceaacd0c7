// Warns about words that CONTRIBUTING.md bans, in comments of files changed since the last release: it never fails.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { HABITS } from './plain-english.ts';

const MAX_WARNINGS = 20;

const git = (...args: string[]): string[] =>
  (spawnSync('git', args, { encoding: 'utf8' }).stdout ?? '').split('\n').filter(Boolean);

/** The last release, or else the last commit: a clone may have no tags. */
const [base = 'HEAD~1'] = git('describe', '--tags', '--abbrev=0');
const changed = git('diff', '--name-only', '--diff-filter=d', base).filter((path) => /\.tsx?$/.test(path));

const warningsOf = (path: string): string[] => {
  const text = readFileSync(path, 'utf8');
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.Standard, text);
  const warnings: string[] = [];
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token !== ts.SyntaxKind.SingleLineCommentTrivia && token !== ts.SyntaxKind.MultiLineCommentTrivia)
      continue;
    const comment = scanner.getTokenText();
    const line = text.slice(0, scanner.getTokenStart()).split('\n').length;
    for (const [pattern, advice] of HABITS) {
      const [found] = pattern.exec(comment) ?? [];
      // Comments may have semicolons and commas before numbers.
      if (found && /[a-z]/i.test(found)) warnings.push(`${path}:${line} "${found.trim()}": ${advice}`);
    }
  }
  return warnings;
};

const warnings = changed.flatMap(warningsOf);
if (warnings.length > 0) {
  console.log(`${warnings.length} comments in changed files don't read like spoken English, such as:`);
  console.log(warnings.slice(0, MAX_WARNINGS).join('\n'));
}
