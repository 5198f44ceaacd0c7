import type { TextLine, TextRange } from '../../../shared/checked-text.ts';
import type { JsonValue } from '../../catalog/frontmatter.ts';
import { isAlmostSkillFile, KNOWN_KEYS } from '../../catalog/skill-rules.ts';
import { NOT_PLAIN } from '../../catalog/text-problem.ts';
import { nearestName } from '../../platform/nearest-name.ts';
import { listed, quoted } from '../../platform/words.ts';
import { aboutShown, aboutTokens } from '../about-tokens.ts';
import type { SkillContext } from '../context.ts';
import type { RuleFinding } from '../rule.ts';
import { type Rule, skillRule } from '../rule.ts';

/** Returns the position of a field's value in SKILL.md. Falls back to its key, then to the first line. */
const placeOfField = ({ frontmatter, text }: SkillContext, key: string): TextRange => {
  const place = frontmatter()?.places.get(key);
  if (place) return place.value.end > place.value.start ? place.value : place.key;
  const [first] = text()?.lines ?? [];
  return { start: first?.start ?? 0, end: first?.end ?? 0 };
};

/** Yields the catalog's diagnostics about a field, as findings at that field. */
function* catalogFindings(
  context: SkillContext,
  key: string,
  catalogRules: readonly string[],
): Generator<RuleFinding> {
  for (const { rule, message } of context.diagnostics()) {
    if (catalogRules.includes(rule)) yield { file: 'SKILL.md', ...placeOfField(context, key), message };
  }
}

/** Returns whether the frontmatter was parsed, so that field rules apply. */
const hasFields = ({ frontmatter }: SkillContext): boolean => {
  const read = frontmatter();
  return read !== undefined && read.diagnostics.length === 0;
};

/** A part of a Markdown line. `start` counts from the start of the line. */
interface LinePart {
  readonly text: string;
  readonly start: number;
  readonly isCode: boolean;
}

const FENCE = /^ {0,3}(```+|~~~+)/;

/** Splits a line at its inline code. An unpaired backtick is an ordinary character. */
const splitAtBackticks = (text: string): LinePart[] => {
  const parts: LinePart[] = [];
  let plain = 0;
  for (let open = text.indexOf('`'); open >= 0; ) {
    const close = text.indexOf('`', open + 1);
    if (close < 0) break;
    if (open > plain) parts.push({ text: text.slice(plain, open), start: plain, isCode: false });
    parts.push({ text: text.slice(open + 1, close), start: open + 1, isCode: true });
    plain = close + 1;
    open = text.indexOf('`', plain);
  }
  if (plain < text.length) parts.push({ text: text.slice(plain), start: plain, isCode: false });
  return parts;
};

/** Creates a function that gets Markdown line by line and returns the code in each line. */
const createCodeReader = () => {
  let fence: string | undefined;
  return (line: string): LinePart[] => {
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return [{ text: line, start: 0, isCode: true }];
    }
    if (mark !== undefined) {
      fence = mark;
      return [{ text: line, start: 0, isCode: true }];
    }
    return splitAtBackticks(line);
  };
};

/** Why pi can't read a SKILL.md. */
const UNREADABLE = {
  'not-a-file': 'SKILL.md isn’t a regular file, so pi finds no skill here. Replace it with a text file.',
  unreadable: 'SKILL.md can’t be read, so pi doesn’t load the skill. Give yourself permission to read it.',
} as const;

/** Why dot-mi doesn't read a SKILL.md that pi may load. */
const UNREAD = {
  'too-large': 'SKILL.md is larger than 2 MiB, so dot-mi can’t check it. pi may load it. Shorten it.',
  outside:
    'SKILL.md is a link that points outside the root, so dot-mi can’t check it. pi may load it. Replace it with a file.',
} as const;

const skillMdMissing = skillRule({
  id: 'skill-md-missing',
  severity: 'error',
  topic: 'skill',
  title: 'Skill has no readable SKILL.md',
  why: 'pi loads a skill only if its directory has a readable SKILL.md. Directories that only group skills are fine.',
  *check({ skill }) {
    const { file, paths } = skill;
    if (file.kind === 'missing') {
      if (paths.some((path) => path.endsWith('/SKILL.md'))) return;
      const almost = paths.find(isAlmostSkillFile);
      yield {
        file: 'SKILL.md',
        message:
          almost === undefined
            ? 'The directory has no SKILL.md, so pi finds no skill in it. Add the file, or delete the directory.'
            : `pi finds no skill here, because the file is named ${quoted(almost)}. Rename it to SKILL.md.`,
      };
    } else if (file.kind === 'refused' && Object.hasOwn(UNREADABLE, file.problem)) {
      yield { file: 'SKILL.md', message: UNREADABLE[file.problem as keyof typeof UNREADABLE] };
    }
  },
});

const skillUnread = skillRule({
  id: 'skill-unread',
  severity: 'warning',
  topic: 'skill',
  title: 'dot-mi can’t read this skill',
  why: 'dot-mi reads a SKILL.md in the root of at most 2 MiB, with frontmatter of at most 256 KiB. pi has no such limits, so it may load a skill that dot-mi can’t check or count.',
  *check({ skill: { file }, diagnostics, frontmatter }) {
    if (file.kind === 'refused' && Object.hasOwn(UNREAD, file.problem))
      yield { file: 'SKILL.md', message: UNREAD[file.problem as keyof typeof UNREAD] };
    const [found] = diagnostics();
    if (found && frontmatter()?.result === 'unknown') yield { file: 'SKILL.md', message: found.message };
  },
});

const skillNotText = skillRule({
  id: 'skill-not-text',
  severity: 'warning',
  topic: 'skill',
  title: 'SKILL.md isn’t plain UTF-8 text',
  why: 'pi reads a SKILL.md that isn’t UTF-8 or contains NUL bytes, but replaces what it can’t decode. So the model reads wrong characters. Save the file as UTF-8.',
  *check({ skill: { file } }) {
    if (file.kind === 'text' && file.isPlain === false)
      yield { file: 'SKILL.md', message: NOT_PLAIN.replace('It is', 'SKILL.md is') };
  },
});

const skillFrontmatter = skillRule({
  id: 'skill-frontmatter',
  severity: 'error',
  topic: 'skill',
  title: 'Frontmatter is missing or invalid',
  why: 'A SKILL.md begins with frontmatter: YAML between two "---" lines. If the frontmatter is missing or invalid, pi doesn’t load the skill. Quote values that contain ": " or begin with a special character.',
  *check({ diagnostics, frontmatter, text }) {
    const [found] = diagnostics();
    const content = text();
    const { result, errorAt: at } = frontmatter() ?? {};
    if (!found || !content || result === 'read' || result === 'unknown') return;
    const [first] = content.lines;
    const place = at === undefined ? first : { start: at, end: Math.min(at + 1, content.text.length) };
    yield {
      file: 'SKILL.md',
      start: place?.start ?? 0,
      end: place?.end ?? 0,
      message: `${found.message} pi doesn’t load this skill.`,
    };
  },
});

const skillDescriptionMissing = skillRule({
  id: 'skill-description-missing',
  severity: 'error',
  topic: 'skill',
  title: 'Skill has no description',
  why: 'The model uses the description to decide whether to read a skill. pi doesn’t load a skill without one.',
  check: (context) => catalogFindings(context, 'description', ['description-missing']),
});

const skillDescriptionLength = skillRule({
  id: 'skill-description-length',
  severity: 'warning',
  topic: 'skill',
  title: 'Description is too long',
  why: 'A description can have at most 1,024 characters. Every agent with this skill sends it in every call, so it costs tokens. Move details into the text of the skill.',
  check: (context) => catalogFindings(context, 'description', ['description-length']),
});

/** Words that say when to use a skill. */
const SAYS_WHEN =
  /\b(?:when|whenever|if|use (?:this|it|for|to|in|with|after|before|on)|used? (?:for|to)|useful|asks?|asked|asking|triggers?|before|after|while|during|for \w+ing|to learn)\b/i;
/** Detects English, because the rule doesn't support other languages. */
const IS_ENGLISH = /\b(?:the|a|an|and|of|to|with|from|in|on|using|your|for)\b/i;

const skillDescriptionWhen = skillRule({
  id: 'skill-description-when',
  severity: 'hint',
  topic: 'skill',
  title: 'Description doesn’t say when to use the skill',
  why: 'The model uses only the description to decide whether to read a skill. Say when to use it, such as "Use when asked for the price of bitcoin."',
  *check(context) {
    const { description, 'disable-model-invocation': isHidden } = context.frontmatter()?.data ?? {};
    // The model doesn't see the description of a hidden skill.
    if (
      isHidden === true ||
      !hasFields(context) ||
      typeof description !== 'string' ||
      description.trim() === ''
    )
      return;
    if (SAYS_WHEN.test(description) || !IS_ENGLISH.test(description)) return;
    yield {
      file: 'SKILL.md',
      ...placeOfField(context, 'description'),
      message: 'The description says what the skill does, but not when to use it. Add "Use when …".',
    };
  },
});

const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const skillNameMissing = skillRule({
  id: 'skill-name-missing',
  severity: 'warning',
  topic: 'skill',
  title: 'Skill has no name',
  why: 'The skill specification requires "name". pi uses the name of the directory instead, but other programs refuse the skill.',
  *check(context) {
    const { skill, text, frontmatter } = context;
    const second = text()?.lines[1];
    for (const finding of catalogFindings(context, 'name', ['name-missing'])) {
      const canAdd = second && !frontmatter()?.places.has('name') && SKILL_NAME.test(skill.name);
      yield canAdd
        ? {
            ...finding,
            fix: {
              title: `Add the name "${skill.name}"`,
              // The fix is safe, because pi already uses this name.
              safe: true,
              edits: [{ start: second.start, end: second.start, text: `name: ${skill.name}\n` }],
            },
          }
        : finding;
    }
  },
});

const skillNameFormat = skillRule({
  id: 'skill-name-format',
  severity: 'warning',
  topic: 'skill',
  title: 'Name breaks the skill specification',
  why: 'A name can have 1 to 64 lowercase letters and digits, with single hyphens between them. pi warns at each start, and other programs refuse the skill.',
  check: (context) => catalogFindings(context, 'name', ['name-type', 'name-length', 'name-format']),
});

const skillNameDirectory = skillRule({
  id: 'skill-name-directory',
  severity: 'warning',
  topic: 'skill',
  title: 'Name differs from its directory',
  why: 'The skill specification requires a skill’s name to match its directory. Since version 0.87, pi accepts a different name, but other programs refuse the skill.',
  *check({ skill, diagnostics, frontmatter }) {
    for (const { rule, message } of diagnostics()) {
      const place = frontmatter()?.places.get('name')?.value;
      if (rule !== 'name-directory' || !place) continue;
      yield {
        file: 'SKILL.md',
        ...place,
        message,
        fix: {
          title: `Change the name to "${skill.name}"`,
          // The fix isn't safe, because the model reads the name, and other files may refer to it.
          safe: false,
          edits: [{ ...place, text: skill.name }],
        },
      };
    }
  },
});

const MAX_COMPATIBILITY = 500;

const isPlain = (value: JsonValue): boolean => typeof value !== 'object' || value === null;

/** Functions that return the problem with a field's value, or undefined. */
const FIELD_PROBLEMS: Readonly<Record<string, (value: JsonValue) => string | undefined>> = {
  license: (value) => (typeof value === 'string' ? undefined : 'must be text. Put it in quotes'),
  compatibility: (value) =>
    typeof value === 'string' && value.length >= 1 && value.length <= MAX_COMPATIBILITY
      ? undefined
      : `must be text of 1 to ${MAX_COMPATIBILITY} characters`,
  metadata: (value) =>
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.values(value).every(isPlain)
      ? undefined
      : 'must be a mapping of keys to text, with no nested lists or mappings',
  'allowed-tools': (value) =>
    typeof value === 'string' || (Array.isArray(value) && value.every((tool) => typeof tool === 'string'))
      ? undefined
      : 'must be text: the names of tools, separated by spaces',
  'disable-model-invocation': (value) =>
    typeof value === 'boolean'
      ? undefined
      : 'must be true or false, without quotes. pi ignores anything else',
};

const skillFieldType = skillRule({
  id: 'skill-field-type',
  severity: 'warning',
  topic: 'skill',
  title: 'Field has an invalid value',
  why: 'The skill specification limits the values of the optional fields in SKILL.md. pi ignores most of these fields, but other programs refuse a skill with an invalid value.',
  *check(context) {
    if (!hasFields(context)) return;
    for (const [key, value] of Object.entries(context.frontmatter()?.data ?? {})) {
      const problem = Object.hasOwn(FIELD_PROBLEMS, key) ? FIELD_PROBLEMS[key]?.(value) : undefined;
      if (problem === undefined) continue;
      yield { file: 'SKILL.md', ...placeOfField(context, key), message: `"${key}" ${problem}.` };
    }
  },
});

const skillAllowedToolsCommas = skillRule({
  id: 'skill-allowed-tools-commas',
  severity: 'hint',
  topic: 'skill',
  title: 'Allowed tools are separated by commas',
  why: 'The skill specification separates the names in "allowed-tools" with spaces. Some programs read a comma as part of a name. pi doesn’t use this field.',
  *check(context) {
    const read = context.frontmatter();
    const place = read?.places.get('allowed-tools')?.value;
    const tools = read?.data['allowed-tools'];
    if (!hasFields(context) || !place || typeof tools !== 'string' || !/^[\w-]+(?:, *[\w-]+)+$/.test(tools))
      return;
    const text = context.text()?.text.slice(place.start, place.end) ?? '';
    yield {
      file: 'SKILL.md',
      ...place,
      message: 'Separate the names in "allowed-tools" with spaces, not with commas.',
      fix: {
        title: 'Replace the commas with spaces',
        safe: false,
        edits: Array.from(text.matchAll(/, */g), ({ 0: comma, index }) => ({
          start: place.start + index,
          end: place.start + index + comma.length,
          text: ' ',
        })),
      },
    };
  },
});

const skillKeyUnknown = skillRule({
  id: 'skill-key-unknown',
  severity: 'hint',
  topic: 'skill',
  title: 'Key isn’t in the skill specification',
  why: `The skill specification defines ${listed(KNOWN_KEYS.slice(0, -1))}. pi also supports ${KNOWN_KEYS.at(-1)}. pi ignores other keys, but the specification’s validator refuses them. Put your own under "metadata".`,
  *check(context) {
    if (!hasFields(context)) return;
    for (const [key, place] of context.frontmatter()?.places ?? []) {
      if (KNOWN_KEYS.includes(key)) continue;
      const near = nearestName(key, KNOWN_KEYS);
      yield {
        file: 'SKILL.md',
        ...place.key,
        message: near
          ? `pi ignores ${quoted(key)}. Did you mean "${near}"?`
          : `${quoted(key)} isn’t in the skill specification, and pi ignores it. Put it under "metadata".`,
        ...(near
          ? { fix: { title: `Change it to "${near}"`, safe: false, edits: [{ ...place.key, text: near }] } }
          : {}),
      };
    }
  },
});

const MAX_LINES = 500;
const MAX_TOKENS = 5_000;

const skillTooLong = skillRule({
  id: 'skill-too-long',
  severity: 'hint',
  topic: 'skill',
  title: 'SKILL.md is too long',
  why: 'The model reads the whole SKILL.md when it uses a skill. The specification recommends fewer than 500 lines and 5,000 tokens. Move parts into files next to it, and say in SKILL.md when to read them.',
  *check({ skill: { file }, frontmatter }) {
    if (file.kind !== 'text') return;
    const bodyStart = frontmatter()?.bodyStart ?? 0;
    const body = file.text
      .slice(bodyStart)
      .trimEnd()
      .replace(/^\r?\n/, '');
    const lines = body.split('\n').length;
    const tokens = aboutTokens(body);
    if (lines <= MAX_LINES && tokens <= MAX_TOKENS) return;
    const size = lines > MAX_LINES ? `${lines.toLocaleString('en-US')} lines` : aboutShown(tokens);
    yield {
      file: 'SKILL.md',
      message: `SKILL.md has ${size}. Move parts into other files that the model reads only when needed.`,
    };
  },
});

const MAX_TARGET = 300;
/** A path in one of a skill's directories, as the specification names them. */
const OWN_FOLDER = /^(?:\.\/)?((?:scripts|references|assets)\/)[\w./-]+\.\w+$/;

interface Reference {
  readonly target: string;
  readonly start: number;
}

/** Yields the targets of the links in a line. */
function* linkTargets(text: string, from: number): Generator<Reference> {
  for (let at = text.indexOf(']('); at >= 0; at = text.indexOf('](', at + 2)) {
    const inside = text.slice(at + 2, at + 2 + MAX_TARGET);
    const end = inside.search(/[)\s]/);
    if (end > 0) yield { target: inside.slice(0, end), start: from + at + 2 };
  }
}

/** Yields words in code that look like files of the skill. */
function* codeTargets(text: string, from: number, folders: ReadonlySet<string>): Generator<Reference> {
  for (const { 0: word, index } of text.matchAll(/[^\s"'`()]+/g)) {
    const [, folder] = word.length <= MAX_TARGET ? (OWN_FOLDER.exec(word) ?? []) : [];
    if (folder !== undefined && folders.has(folder)) yield { target: word, start: from + index };
  }
}

/** Returns a target's path in the skill. Undefined if it can't be checked. */
const pathOf = (target: string): string | undefined => {
  const [path = ''] = target.replace(/^<|>$/g, '').split(/[#?]/, 1);
  const clean = path.replace(/^\.\//, '');
  // Skip paths outside the skill, URLs and placeholders.
  if (/^[/~#]|\.\.|[${}<>*|\\]|^[a-z][a-z0-9+.-]*:/i.test(clean)) return undefined;
  if (!/\.[A-Za-z0-9]{1,8}$/.test(clean)) return undefined;
  try {
    return decodeURIComponent(clean);
  } catch {
    return undefined;
  }
};

const skillReferenceBroken = skillRule({
  id: 'skill-reference-broken',
  severity: 'warning',
  topic: 'skill',
  title: 'SKILL.md refers to a missing file',
  why: 'The model looks in the skill’s directory for the files that SKILL.md refers to. If one is missing, the model wastes calls and may guess what the file says.',
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

/** Rules about SKILL.md. */
export const skillRules: readonly Rule[] = [
  skillMdMissing,
  skillUnread,
  skillNotText,
  skillFrontmatter,
  skillDescriptionMissing,
  skillDescriptionLength,
  skillDescriptionWhen,
  skillNameMissing,
  skillNameFormat,
  skillNameDirectory,
  skillFieldType,
  skillAllowedToolsCommas,
  skillKeyUnknown,
  skillTooLong,
  skillReferenceBroken,
];
