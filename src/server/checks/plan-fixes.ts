import type { AgentChecks, Finding, FindingPlace } from '../../shared/api/checks.ts';
import { EDITABLE_FILES, type EditableFile } from '../../shared/api/names.ts';
import { applyFixes } from '../../shared/apply-edits.ts';
import type { EtagOf } from '../platform/etag.ts';
import type { AgentSnapshot } from './snapshot.ts';

/** The new text of each file whose findings are fixed. */
export interface FixPlan {
  /** The current etags of all files. */
  readonly etags: AgentChecks['etags'];
  readonly files: readonly {
    readonly file: EditableFile;
    readonly content: string;
    readonly fixed: number;
  }[];
  readonly notFixed: readonly FindingPlace[];
}

/** Returns a snapshot's etags, calculated as in the routes for files. */
export const etagsOf = ({ files }: AgentSnapshot, etagOf: EtagOf): AgentChecks['etags'] => {
  const etags: AgentChecks['etags'] = {};
  for (const name of EDITABLE_FILES) {
    const file = files[name];
    if (file.kind === 'text') etags[name] = etagOf(Buffer.from(file.text));
  }
  return etags;
};

const isAt = (finding: Finding, place: FindingPlace) =>
  finding.rule === place.rule &&
  finding.file === place.file &&
  finding.line === place.line &&
  finding.column === place.column;

/** Applies fixes to a snapshot's text without writing anything. `findings` belong to that snapshot. */
export const planFixes = (
  snapshot: AgentSnapshot,
  findings: readonly Finding[],
  places: readonly FindingPlace[],
  etagOf: EtagOf,
): FixPlan => {
  const files: FixPlan['files'][number][] = [];
  const notFixed: FindingPlace[] = [];
  for (const file of EDITABLE_FILES) {
    const wanted = places
      .filter((place) => place.file === file)
      .map((place) => ({ place, fix: findings.find((finding) => isAt(finding, place))?.fix }));
    const fixable = wanted.flatMap(({ place, fix }) => (fix ? [{ place, fix }] : []));
    notFixed.push(...wanted.filter(({ fix }) => !fix).map(({ place }) => place));
    const state = snapshot.files[file];
    if (state.kind !== 'text' || fixable.length === 0) continue;
    const { text, refused } = applyFixes(
      state.text,
      fixable.map(({ fix }) => fix.edits),
    );
    notFixed.push(...refused.flatMap((index) => fixable[index]?.place ?? []));
    files.push({ file, content: text, fixed: fixable.length - refused.length });
  }
  return { etags: etagsOf(snapshot, etagOf), files, notFixed };
};
