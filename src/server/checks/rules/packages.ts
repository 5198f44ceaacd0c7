import {
  type PackageEntry,
  packageEntries,
  parsePackageSource,
  shownSource,
  sourceProblem,
} from '../../../pi/packages.ts';
import { nodeAt, rangeOf, type TextRange } from '../../../shared/json-document.ts';
import { isJsonObject } from '../../../shared/json-object.ts';
import { missingPath, REPEATED_ENTRY, repeatedEntries } from '../../platform/package-problem.ts';
import { listed, quoted } from '../../platform/words.ts';
import type { AgentContext } from '../context.ts';
import { agentRule, type Rule } from '../rule.ts';
import type { PackageState } from '../snapshot.ts';

const FILE = 'settings.json';
const MAX_SHOWN_NAMES = 3;

/** An entry of `packages` that has a source, and the source's position in the file. */
interface PlacedEntry {
  readonly source: string;
  readonly state: PackageState;
  readonly isRepeated: boolean;
  readonly range: TextRange;
}

const placedEntries = ({ agent, json }: AgentContext): PlacedEntry[] => {
  const { root, value } = json(FILE) ?? {};
  const entries: readonly PackageEntry[] = (isJsonObject(value) && packageEntries(value.packages)) || [];
  const repeated = repeatedEntries(entries);
  return entries.flatMap(({ source, fields }, index) => {
    const node = nodeAt(root, fields ? ['packages', index, 'source'] : ['packages', index]);
    if (source === undefined || !node) return [];
    const state = agent.packages?.[index] ?? 'unknown';
    return [{ source, state, isRepeated: repeated[index] === true, range: rangeOf(node) }];
  });
};

const isPath = (source: string): boolean => parsePackageSource(source).kind === 'path';

/** Returns why pi loads nothing from an entry. Undefined if pi loads it, or if files outside the root decide. */
const problemOf = ({ source, state, isRepeated }: PlacedEntry): string | undefined => {
  const problem = sourceProblem(source);
  if (problem !== undefined) return `pi can’t load this package: ${quoted(shownSource(source))} ${problem}.`;
  if (isRepeated) return REPEATED_ENTRY;
  return state === 'missing' && isPath(source) ? missingPath(source) : undefined;
};

const packageIgnored = agentRule({
  id: 'package-ignored',
  severity: 'warning',
  topic: 'files',
  title: 'pi ignores this package',
  why: 'pi doesn’t warn if it can’t load an entry of "packages" in settings.json. It skips a path that doesn’t exist, and any second entry for the same package. It treats a source that it doesn’t recognize, such as "github:owner/name", as a path.',
  *check(context) {
    for (const entry of placedEntries(context)) {
      const message = problemOf(entry);
      if (message !== undefined) yield { file: FILE, ...entry.range, message };
    }
  },
});

const packageNotInstalled = agentRule({
  id: 'package-not-installed',
  severity: 'hint',
  topic: 'files',
  title: 'Package isn’t installed',
  why: 'pi keeps an agent’s packages in the agent’s directory, and installs a missing one when it starts. Until then, dot-mi can’t show what the package adds, and the predicted prompt lacks its skills. Without a network connection, pi starts without the package. dot-mi doesn’t count a copy that an older pi installed for all agents.',
  *check(context) {
    const missing = placedEntries(context).filter(
      (entry) => entry.state === 'missing' && !isPath(entry.source) && problemOf(entry) === undefined,
    );
    const [first] = missing;
    if (!first) return;
    const names = missing.slice(0, MAX_SHOWN_NAMES).map(({ source }) => quoted(shownSource(source)));
    const more = missing.length - names.length;
    yield {
      file: FILE,
      ...first.range,
      message: `${listed(more > 0 ? [...names, `${more} more`] : names)} ${
        missing.length === 1 ? 'isn’t' : 'aren’t'
      } installed in the agent’s directory. pi installs ${missing.length === 1 ? 'it' : 'them'} at the next start. To install ${missing.length === 1 ? 'it' : 'them'} now, run the command that dot-mi shows in the agent’s Settings tab.`,
    };
  },
});

/** The rules about pi packages. */
export const packageRules: readonly Rule[] = [packageIgnored, packageNotInstalled];
