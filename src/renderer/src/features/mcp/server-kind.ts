import type { JsonEdit, JsonPath } from '../../../../shared/json-edit.ts';
import { commandWords } from '../../json-form/command-words.ts';
import type { EntryKind } from '../../json-form/entry-kind.ts';
import { type Drafts, type FormField, valueAt } from '../../json-form/fields.ts';
import type { FormRow } from '../../json-form/rows.ts';
import { mcp } from '../../strings/mcp.ts';
import { namedValues } from '../../strings/named-values.ts';
import { readSnippet } from './read-snippet.ts';

const texts = mcp.dialog;

/** pi has no JSON schema for mcp.json. The server checks entries by the rules of `src/pi/mcp.ts`. */
const FIELDS: readonly FormField[] = [
  {
    path: ['command'],
    of: 'stdio',
    widget: 'text',
    label: texts.command,
    isRequired: true,
    isCommand: true,
    wrong: texts.commandRule,
  },
  { path: ['args'], of: 'stdio', widget: 'args', label: namedValues.args },
  { path: ['env'], of: 'stdio', widget: 'env', label: namedValues.env },
  { path: ['cwd'], of: 'stdio', widget: 'text', label: texts.cwd, hint: texts.cwdHint },
  {
    path: ['url'],
    of: 'http',
    widget: 'text',
    label: texts.url,
    isRequired: true,
    rule: /^https?:\/\/./,
    wrong: texts.urlRule,
  },
  { path: ['headers'], of: 'http', widget: 'headers', label: namedValues.headers },
  { path: ['description'], widget: 'text', label: texts.description, hint: texts.descriptionHint },
  {
    path: ['exposure'],
    widget: 'select',
    label: texts.exposure,
    names: texts.exposures,
    unset: texts.exposureDefault,
  },
  {
    path: ['timeout'],
    widget: 'number',
    isAbove: true,
    label: texts.timeout,
    hint: texts.timeoutHint,
    wrong: texts.timeoutRule,
  },
];

/** Splits a typed command line: pi starts one program, and gets its arguments apart from it. */
const withWords = (edits: JsonEdit[], path: JsonPath, { args = [] }: Drafts): JsonEdit[] => {
  const isAt = (key: string, edit: JsonEdit) => edit.path[path.length] === key;
  const typed = edits.find((edit) => isAt('command', edit))?.value;
  if (typeof typed !== 'string') return edits;
  const [program, ...first] = commandWords(typed);
  const command: JsonEdit = { path: [...path, 'command'], value: program };
  const others = edits.filter((edit) => !isAt('command', edit));
  if (first.length === 0) return [command, ...others];
  const rows = (Array.isArray(args) ? args : [])
    .map(({ text }: FormRow) => text)
    .filter((text) => text !== '');
  return [
    command,
    { path: [...path, 'args'], value: [...first, ...rows] },
    ...others.filter((edit) => !isAt('args', edit)),
  ];
};

/** The MCP servers in an mcp.json. */
export const MCP_SERVER: EntryKind = {
  file: 'mcp.json',
  parent: ['mcpServers'],
  name: {
    label: texts.name,
    rule: /^[A-Za-z0-9_-]{1,128}$/,
    wrong: texts.nameRule,
    taken: texts.nameTaken,
  },
  choice: {
    label: texts.transport,
    names: texts.transports,
    of: ({ url, type }) => (typeof url === 'string' && type !== 'stdio' ? 'http' : 'stdio'),
  },
  paste: { label: texts.paste.label, which: texts.paste.which, read: readSnippet },
  fields: FIELDS,
  complete(all, { path, value }, { choice, drafts }) {
    const edits = withWords(all, path, drafts);
    const type = valueAt(value, ['type']);
    // The old `type` is wrong for the other kind of server.
    const isWrong = type !== undefined && (type === 'stdio') !== (choice === 'stdio');
    return isWrong ? [...edits, { path: [...path, 'type'] }] : edits;
  },
};
