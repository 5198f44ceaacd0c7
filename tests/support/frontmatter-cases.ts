/** What pi makes of a SKILL.md: the description that it loads, or nothing. */
export interface FrontmatterCase {
  readonly text: string | Buffer;
  /** What pi 1.6.0 reports. Undefined if it doesn't load the skill. */
  readonly loaded: { readonly description: string } | undefined;
  /** The ids that the checks report about SKILL.md, except those about style. */
  readonly findings: readonly string[];
}

const skill = (frontmatter: string, open = '---'): string => `${open}\n${frontmatter}\n---\nText.\n`;

const DESCRIPTION = 'Use it when asked.';
const loaded = { description: DESCRIPTION };
const BROKEN = { loaded: undefined, findings: ['skill-frontmatter'] };
const NO_DESCRIPTION = { loaded: undefined, findings: ['skill-description-missing'] };

/** Many keys, as generated frontmatter has. */
const keys = (count: number): string =>
  Array.from({ length: count }, (_, index) => `  key-${index}: value`).join('\n');

/** Frontmatter that pi reads in its own way, by the skill's directory. The slow test compares them with a real pi. */
export const FRONTMATTER_CASES: Readonly<Record<string, FrontmatterCase>> = {
  plain: { text: skill(`description: ${DESCRIPTION}`), loaded, findings: [] },
  // pi drops one character after "---", whatever it is.
  'open-yaml': { text: skill(`description: ${DESCRIPTION}`, '---yaml'), ...BROKEN },
  'open-comment': { text: skill(`description: ${DESCRIPTION}`, '--- # c'), loaded, findings: [] },
  'open-spaces': { text: skill(`description: ${DESCRIPTION}`, '---  '), loaded, findings: [] },
  'open-four': { text: skill(`description: ${DESCRIPTION}`, '----'), loaded, findings: [] },
  'open-five': { text: skill(`description: ${DESCRIPTION}`, '-----'), ...BROKEN },
  'open-inline': { text: `--- description: ${DESCRIPTION}\n---\nText.\n`, loaded, findings: [] },
  'open-glued': { text: `---xdescription: ${DESCRIPTION}\n---\nText.\n`, loaded, findings: [] },
  'open-js': { text: '---js\n({ description: "Runs." })\n---\n', ...BROKEN },
  'close-four': { text: `---\ndescription: ${DESCRIPTION}\n----\nText.\n`, loaded, findings: [] },
  unclosed: { text: `---\ndescription: ${DESCRIPTION}\nText.\n`, ...BROKEN },
  missing: { text: 'Text.\n', ...BROKEN },
  empty: { text: '---\n---\nText.\n', ...NO_DESCRIPTION },
  'only-comment': { text: skill('# Nothing.'), ...NO_DESCRIPTION },
  'cr-only': { text: skill(`description: ${DESCRIPTION}`).replaceAll('\n', '\r'), loaded, findings: [] },
  crlf: {
    text: skill('description: >\n  Use it\n  when asked.').replaceAll('\n', '\r\n'),
    loaded: { description: `${DESCRIPTION}\n` },
    findings: [],
  },
  bom: { text: `\uFEFF${skill(`description: ${DESCRIPTION}`)}`, loaded, findings: [] },
  nan: { text: skill('description: .nan'), ...NO_DESCRIPTION },
  number: { text: skill('description: 5'), ...NO_DESCRIPTION },
  date: { text: skill('description: 2026-01-31'), loaded: { description: '2026-01-31' }, findings: [] },
  timestamp: { text: skill('description: !!timestamp 2026-01-31'), ...NO_DESCRIPTION },
  binary: { text: skill('description: !!binary aGVsbG8='), ...NO_DESCRIPTION },
  set: { text: skill(`!!set { description, ${DESCRIPTION} }`), ...BROKEN },
  omap: { text: skill(`!!omap [ description: ${DESCRIPTION} ]`), ...BROKEN },
  'unknown-tag': { text: skill(`description: !mine ${DESCRIPTION}`), loaded, findings: [] },
  'name-number': { text: skill(`name: 5\ndescription: ${DESCRIPTION}`), loaded, findings: [] },
  'name-timestamp': {
    text: skill(`name: !!timestamp 2026-01-31\ndescription: ${DESCRIPTION}`),
    loaded,
    findings: [],
  },
  list: { text: skill('- description'), ...BROKEN },
  'only-text': { text: skill('description'), ...BROKEN },
  'repeated-key': { text: skill(`description: a\ndescription: ${DESCRIPTION}`), ...BROKEN },
  'repeated-nan': { text: skill(`description: ${DESCRIPTION}\n.nan: a\n.nan: b`), loaded, findings: [] },
  'unknown-alias': { text: skill('description: *nowhere'), ...BROKEN },
  'many-aliases': {
    text: skill(`a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [${'*c, '.repeat(99)}]\ndescription: x`),
    ...BROKEN,
  },
  'two-documents': { text: skill(`description: ${DESCRIPTION}\n...\na: b`), ...BROKEN },
  // Too many tokens for the earlier limit of 1,000.
  'many-keys': {
    text: skill(`description: ${DESCRIPTION}\nmetadata:\n${keys(1_000)}`),
    loaded,
    findings: [],
  },
  // Larger than the earlier limit of 8 KiB.
  long: {
    text: skill(`description: ${DESCRIPTION}\nmetadata:\n  text: ${'word '.repeat(40_000)}`),
    loaded,
    findings: [],
  },
  'latin-1': {
    text: Buffer.from(skill('description: Caf\u00e9 when asked.'), 'latin1'),
    loaded: { description: 'Caf\uFFFD when asked.' },
    findings: ['skill-not-text'],
  },
  'latin-1-body': {
    text: Buffer.from(`${skill(`description: ${DESCRIPTION}`)}Caf\u00e9.`, 'latin1'),
    loaded,
    findings: ['skill-not-text'],
  },
  nul: {
    text: `${skill(`description: ${DESCRIPTION}`)}\0`,
    loaded,
    findings: ['skill-not-text'],
  },
  'nul-in-yaml': {
    text: skill('description: Use it\0 when asked.'),
    loaded: { description: 'Use it\0 when asked.' },
    findings: ['skill-not-text'],
  },
};

/** Frontmatter that pi loads, but that exceeds dot-mi's limits. */
export const UNREAD_CASES: Readonly<Record<string, string>> = {
  'too-many-keys': skill(`description: ${DESCRIPTION}\nmetadata:\n${keys(8_000)}`),
  'too-long': skill(`description: ${DESCRIPTION}\nmetadata:\n  text: ${'word '.repeat(60_000)}`),
  'too-deep': skill(`description: ${DESCRIPTION}\nmetadata: ${'['.repeat(40)}${']'.repeat(40)}`),
  'list-as-key': skill(`description: ${DESCRIPTION}\n? [a, b]\n: c`),
  circular: skill(`description: ${DESCRIPTION}\nmetadata: &a { a: *a }`),
};
