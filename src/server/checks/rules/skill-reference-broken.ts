import { quoted } from '../../platform/words.ts';
import type { TextLine } from '../checked-text.ts';
import { createCodeReader } from '../markdown-code.ts';
import { skillRule } from '../rule.ts';

/** The longest target of a link. */
const MAX_TARGET = 300;
/** Folders of a skill, by the specification. */
const OWN_FOLDER = /^(?:\.\/)?((?:scripts|references|assets)\/)[\w./-]+\.\w+$/;

interface Reference {
  readonly target: string;
  readonly start: number;
}

/** The targets of the links in a line. */
function* linkTargets(text: string, from: number): Generator<Reference> {
  for (let at = text.indexOf(']('); at >= 0; at = text.indexOf('](', at + 2)) {
    const inside = text.slice(at + 2, at + 2 + MAX_TARGET);
    const end = inside.search(/[)\s]/);
    if (end > 0) yield { target: inside.slice(0, end), start: from + at + 2 };
  }
}

/** The words of a code text that look like files of the skill. */
function* codeTargets(text: string, from: number, folders: ReadonlySet<string>): Generator<Reference> {
  for (const { 0: word, index } of text.matchAll(/[^\s"'`()]+/g)) {
    const [, folder] = word.length <= MAX_TARGET ? (OWN_FOLDER.exec(word) ?? []) : [];
    if (folder !== undefined && folders.has(folder)) yield { target: word, start: from + index };
  }
}

/** The path of a target in the skill. Undefined if it isn't one that can be checked. */
const pathOf = (target: string): string | undefined => {
  const [path = ''] = target.replace(/^<|>$/g, '').split(/[#?]/, 1);
  const clean = path.replace(/^\.\//, '');
  // Places outside, addresses and placeholders.
  if (/^[/~#]|\.\.|[${}<>*|\\]|^[a-z][a-z0-9+.-]*:/i.test(clean)) return undefined;
  if (!/\.[A-Za-z0-9]{1,8}$/.test(clean)) return undefined;
  try {
    return decodeURIComponent(clean);
  } catch {
    return undefined;
  }
};

export const skillReferenceBroken = skillRule({
  id: 'skill-reference-broken',
  severity: 'warning',
  topic: 'skill',
  title: 'A reference to a missing file',
  why: 'The model looks for the files that SKILL.md names, in the directory of the skill. A missing one costs calls, and the model may guess what it says.',
  *check({ skill, text, frontmatter }) {
    const content = text();
    if (!content || !skill.hasAllPaths) return;
    const paths = new Set(skill.paths);
    const bodyStart = frontmatter()?.bodyStart ?? 0;
    const readCode = createCodeReader();
    const referencesIn = function* (line: TextLine): Generator<Reference> {
      for (const part of readCode(line.text)) {
        const from = line.start + part.start;
        if (part.isCode) yield* codeTargets(part.text, from, paths);
        else yield* linkTargets(part.text, from);
      }
    };
    for (const line of content.lines) {
      if (line.start < bodyStart) continue;
      for (const { target, start } of referencesIn(line)) {
        const path = pathOf(target);
        if (path === undefined || paths.has(path)) continue;
        yield {
          file: 'SKILL.md',
          start,
          end: start + target.length,
          message: `The skill has no file ${quoted(path)}. Add it, or correct the path.`,
        };
      }
    }
  },
});
