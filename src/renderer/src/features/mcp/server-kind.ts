import type { EntryKind } from '../../json-form/entry-kind.ts';
import { type FormField, valueAt } from '../../json-form/fields.ts';
import { mcp } from '../../strings/mcp.ts';
import { namedValues } from '../../strings/named-values.ts';

const texts = mcp.dialog;

/** pi has no JSON schema for mcp.json. The server checks entries by the rules of `src/pi/mcp.ts`. */
const FIELDS: readonly FormField[] = [
  { path: ['command'], of: 'stdio', widget: 'text', label: texts.command, isRequired: true },
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
  fields: FIELDS,
  complete(edits, { path, value }, { choice }) {
    const type = valueAt(value, ['type']);
    // The old `type` is wrong for the other kind of server.
    const isWrong = type !== undefined && (type === 'stdio') !== (choice === 'stdio');
    return isWrong ? [...edits, { path: [...path, 'type'] }] : edits;
  },
};
