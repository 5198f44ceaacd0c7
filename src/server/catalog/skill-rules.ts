import type { Diagnostic } from '../../shared/api/catalog.ts';
import type { JsonValue } from './frontmatter.ts';

/** The keys of the agentskills.io specification. The last one is pi's own. */
export const KNOWN_KEYS: readonly string[] = [
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
  'disable-model-invocation',
];
/** Names that people give a SKILL.md. pi accepts only the exact one. */
const ALMOST_SKILL_FILE = /^skills?\.(?:md|mdx|markdown|txt)$/i;

/** Returns whether somebody probably meant a file to be a SKILL.md. */
export const isAlmostSkillFile = (name: string): boolean =>
  name !== 'SKILL.md' && ALMOST_SKILL_FILE.test(name);

const SKILL_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;

type Fields = Readonly<Record<string, JsonValue>>;

const error = (rule: string, message: string): Diagnostic => ({ severity: 'error', rule, message });
const warning = (rule: string, message: string): Diagnostic => ({ severity: 'warning', rule, message });

const checkName = ({ name }: Fields, directory: string): Diagnostic[] => {
  if (name === undefined || name === null)
    return [warning('name-missing', '"name" is missing, so pi uses the directory name.')];
  if (typeof name !== 'string') return [warning('name-type', '"name" must be a string. Put it in quotes.')];
  const found: Diagnostic[] = [];
  if (name.length > MAX_NAME)
    found.push(warning('name-length', `"name" is longer than ${MAX_NAME} characters. Shorten it.`));
  if (!SKILL_NAME.test(name)) {
    found.push(
      warning(
        'name-format',
        '"name" can contain only lowercase letters, digits and single hyphens between them.',
      ),
    );
  }
  if (name !== directory)
    found.push(warning('name-directory', `"name" must match the directory name, "${directory}".`));
  return found;
};

const checkDescription = ({ description }: Fields): Diagnostic[] => {
  if (description !== undefined && description !== null && typeof description !== 'string')
    return [
      error(
        'description-missing',
        '"description" is not text, so pi doesn’t load the skill. Put it in quotes.',
      ),
    ];
  if (typeof description !== 'string' || description.trim() === '') {
    return [error('description-missing', '"description" is missing. pi doesn’t load a skill without one.')];
  }
  if (description.length <= MAX_DESCRIPTION) return [];
  return [
    warning('description-length', `"description" is longer than ${MAX_DESCRIPTION} characters. Shorten it.`),
  ];
};

const checkCompatibility = ({ compatibility }: Fields): Diagnostic[] => {
  if (compatibility === undefined) return [];
  const valid =
    typeof compatibility === 'string' &&
    compatibility.length >= 1 &&
    compatibility.length <= MAX_COMPATIBILITY;
  return valid
    ? []
    : [warning('compatibility', `"compatibility" must be a string of 1 to ${MAX_COMPATIBILITY} characters.`)];
};

const checkKeys = (fields: Fields): Diagnostic[] =>
  Object.keys(fields)
    .filter((key) => !KNOWN_KEYS.includes(key))
    .slice(0, 20)
    .map((key) => warning('key-unknown', `"${key.slice(0, 60)}" is not a key in the skill specification.`));

/**
 * Checks frontmatter against the skill specification (agentskills.io).
 *
 * An `error` keeps pi from loading the skill. A `warning` violates the specification, but pi still loads the skill.
 */
export const checkSkill = (fields: Fields, directory: string): Diagnostic[] => [
  ...checkName(fields, directory),
  ...checkDescription(fields),
  ...checkCompatibility(fields),
  ...checkKeys(fields),
];
