import { z } from 'zod';

const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i;
const AGENT_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** One sentence that describes an agent id. */
const AGENT_ID_RULE =
  'An agent id starts with a letter or digit, followed by up to 63 letters, digits, ".", "_" or "-". It can’t contain "..", end with ".", or be a Windows device name.';

/** Returns whether `text` can be an agent id on every operating system that dot-mi supports. */
export const isAgentId = (text: string): boolean =>
  AGENT_ID.test(text) && !text.includes('..') && !text.endsWith('.') && !WINDOWS_DEVICE.test(text);

/** An agent id: one path segment. A bad one gets 400 `invalid_agent_id`. */
export const agentIdSchema = z
  .string()
  .refine(isAgentId, { message: AGENT_ID_RULE, params: { code: 'invalid_agent_id' } })
  .meta({ pattern: AGENT_ID.source, description: 'The id of an agent.', examples: ['scout'] });

/** The longest agent id, in characters. */
const MAX_AGENT_ID_LENGTH = 64;

/** Returns the first free id among `scout-2`, `scout-3`, … Shortens a long id so that the result stays valid. */
export const nextFreeId = (id: string, taken: ReadonlySet<string>): string => {
  for (let number = 2; ; number++) {
    const end = `-${number}`;
    const next = id.slice(0, MAX_AGENT_ID_LENGTH - end.length) + end;
    if (!taken.has(next)) return next;
  }
};

/** The files of an agent that can be edited. The last three are optional. */
export const EDITABLE_FILES = [
  'pi-args',
  'SYSTEM.md',
  'APPEND_SYSTEM.md',
  'AGENT.md',
  'workspace.conf',
] as const;

export type EditableFile = (typeof EDITABLE_FILES)[number];

/** Returns whether a file can be edited. */
export const isEditableFile = (name: string): name is EditableFile =>
  (EDITABLE_FILES as readonly string[]).includes(name);

/** The files of an agent that dot-mi changes field by field, never as text, because they can contain secrets. */
export const FORM_FILES = ['mcp.json', 'models.json', 'settings.json'] as const;

/** A file of an agent that dot-mi writes. */
export type WrittenFile = EditableFile | (typeof FORM_FILES)[number];

/** Returns whether dot-mi writes a file. */
export const isWrittenFile = (name: string): name is WrittenFile =>
  isEditableFile(name) || (FORM_FILES as readonly string[]).includes(name);

/** Returns whether reading a file succeeds even if it doesn't exist. */
export const isOptionalFile = (name: EditableFile): boolean => name !== 'pi-args' && name !== 'SYSTEM.md';

/** A name of {@link EDITABLE_FILES}. Any other gets 400 `invalid_file_name`. */
export const editableFileSchema = z
  .string()
  .refine(isEditableFile, {
    message: `path must be one of ${EDITABLE_FILES.join(', ')}.`,
    params: { code: 'invalid_file_name' },
  })
  .transform((name) => name as EditableFile)
  .meta({
    type: 'string',
    enum: [...EDITABLE_FILES],
    description:
      'pi-args: arguments for pi, one per line. SYSTEM.md: the system prompt. APPEND_SYSTEM.md: text that follows it. ' +
      'AGENT.md: the agent’s model and tools as frontmatter, and text as Markdown. workspace.conf: the directories of each run’s workspace.',
  });

/** An agent's secrets, and the files that its runs create. A name with `/` is a directory, and `*` matches any text. */
const SECRETS_AND_RUN_FILES = [
  'sessions/',
  'auth.json',
  'mcp-auth.json',
  'trust.json',
  'crashes.json',
  '*.log',
  'mcp.log*',
  'tmp/',
] as const;

/** The files that duplicating an agent doesn't copy. A name with `/` is a directory, and `*` matches any text. */
export const LEFT_OUT_OF_COPIES = [...SECRETS_AND_RUN_FILES, 'npm/', 'git/'] as const;

const matches = (entry: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => {
    // Some systems ignore case.
    const name = entry.toLowerCase();
    const [start = '', end] = pattern.replace(/\/$/, '').split('*');
    return end === undefined ? name === start : name.startsWith(start) && name.endsWith(end);
  });

/** Returns whether duplicating an agent omits this entry. */
export const isLeftOutOfCopies = (entry: string): boolean => matches(entry, LEFT_OUT_OF_COPIES);

/** Returns whether an entry of an agent is a secret, or was created by its runs. */
export const isSecretOrRunFile = (entry: string): boolean => matches(entry, SECRETS_AND_RUN_FILES);

const ETAG_LIST = /^\s*(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)\s*$/;

/** The value of If-Match or If-None-Match (RFC 9110, 13.1). An etag without its quotes never matches. */
export const etagHeaderSchema = z
  .string()
  .refine((text) => ETAG_LIST.test(text), {
    message: 'Send the etag with its quotes, as in the response: If-Match: "<etag>". Or send *.',
  })
  .optional();

/** The size limit for files to read or write: 2 MiB of UTF-8. */
export const MAX_FILE_BYTES = 2 * 1024 * 1024;

/** The kinds of shared entries that agents link to, and the names of their directories. */
export const LINK_KINDS = ['extensions', 'skills', 'prompts', 'themes'] as const;

/** The folders of `shared` whose entries have a history. */
export const SHARED_WITH_HISTORY = [...LINK_KINDS, 'presets'] as const;

export const linkKindSchema = z.enum(LINK_KINDS).describe('The kind of shared entry.');

export type LinkKind = (typeof LINK_KINDS)[number];

/** The files and directories that pi loads for a kind. */
interface LinkKindShape {
  /** The name of one entry, and of several, in a sentence. */
  readonly one: string;
  readonly many: string;
  /** True if pi loads files. `fileEnding` is the ending of their names, or undefined if any name works. */
  readonly files: boolean;
  readonly fileEnding?: string | undefined;
  /** True if pi loads directories. */
  readonly directories: boolean;
}

/** How the kinds differ. A new kind needs a row here, and a list of its entries in `server/catalog`. */
export const LINK_KIND_SHAPES: Readonly<Record<LinkKind, LinkKindShape>> = {
  extensions: { one: 'extension', many: 'extensions', files: true, directories: true },
  skills: { one: 'skill', many: 'skills', files: false, directories: true },
  prompts: {
    one: 'prompt template',
    many: 'prompt templates',
    files: true,
    fileEnding: '.md',
    directories: false,
  },
  themes: { one: 'theme', many: 'themes', files: true, fileEnding: '.json', directories: false },
};

/** Returns whether a file or directory of this name can be an entry of a kind. */
export const isOfKind = (kind: LinkKind, name: string, type: 'file' | 'dir'): boolean => {
  const { files, fileEnding = '', directories } = LINK_KIND_SHAPES[kind];
  return type === 'dir' ? directories : files && name.endsWith(fileEnding);
};

/** Creates one value for each kind. */
export const byKind = <T>(make: (kind: LinkKind) => T): Record<LinkKind, T> => ({
  extensions: make('extensions'),
  skills: make('skills'),
  prompts: make('prompts'),
  themes: make('themes'),
});

/** Returns whether `text` can name an entry of a catalog: one path segment, not hidden. */
export const isEntryName = (text: string): boolean =>
  // File systems limit the length in UTF-8 (255 bytes).
  text.length > 0 &&
  !text.startsWith('.') &&
  !/[/\\\0]/.test(text) &&
  text.isWellFormed() &&
  new TextEncoder().encode(text).length <= 255;

/** The name of a shared entry. A bad one gets 400 `invalid_name`. */
export const entryNameSchema = z
  .string()
  .refine(isEntryName, {
    message: 'A name must be a single path segment: no "/", "\\" or NUL, and no "." at the start.',
    params: { code: 'invalid_name' },
  })
  .meta({ description: 'The name, a single path segment.', examples: ['git-summary'] });

/**
 * Returns whether a link with this name can be created: {@link isEntryName}, and the same name on every operating
 * system. On Windows "x:y" is a stream of "x", "x." and "x " are "x", and "nul" is a device. A root is shared
 * between systems, so the rule applies to all of them. Entries with other names are still listed. Their links
 * can be removed, except on Windows.
 */
export const isLinkName = (text: string): boolean =>
  isEntryName(text) && !text.includes(':') && !/[. ]$/.test(text) && !WINDOWS_DEVICE.test(text);

/** The name of a link to create. A bad one gets 400 `invalid_name`. */
export const linkNameSchema = z
  .string()
  .refine(isLinkName, {
    message:
      'A link name must be a single path segment: no "/", "\\", ":" or NUL, no "." at the start, no "." or space at the end, and no Windows device name.',
    params: { code: 'invalid_name' },
  })
  .meta({ description: 'The name, a single path segment.', examples: ['git-summary'] });

/** The name of an MCP server that pi accepts. */
export const mcpNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{1,128}$/,
    'The name of an MCP server can contain only letters, digits, "_" and "-".',
  );
