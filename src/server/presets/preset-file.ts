import { z } from 'zod';
import { byKind, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import { isPresetName, type PresetContent } from '../../shared/api/presets.ts';
import { readMcpConfig } from '../../shared/pi/mcp.ts';
import { literalPlaceOf } from '../../shared/pi/mcp-secrets.ts';
import { parseShallowJson } from '../../shared/shallow-json.ts';
import { quoted } from '../platform/words.ts';

/** The folder of the presets, below `shared`. */
export const PRESETS = 'presets';

const ENDING = '.json';

/** The name of the file of a preset. */
export const fileOf = (name: string): string => `${name}${ENDING}`;

/** The name of the preset in a file, valid or not. Undefined for a file that can't be one. */
export const presetIn = (file: string): string | undefined =>
  file.endsWith(ENDING) && !file.startsWith('.') ? file.slice(0, -ENDING.length) : undefined;

/** Whether dot-mi writes temp files for a file of this name. */
export const isPresetFile = (file: string): boolean => isPresetName(presetIn(file) ?? '');

const schema = z.looseObject({
  description: z.string().optional(),
  ...byKind(() => z.array(z.string()).default([])),
  mcpServers: z.record(z.string(), z.record(z.string(), z.json())).default({}),
});

const withoutDoubles = (names: readonly string[]): string[] => [...new Set(names)];

/** The content of the file of a preset. `fields` are all of its fields, in their order. */
export interface ParsedPreset extends PresetContent {
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads the text of a preset. Undefined if it isn't one. */
export const parsePreset = (bytes: Uint8Array): ParsedPreset | undefined => {
  try {
    const fields: unknown = parseShallowJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const { description, mcpServers, ...lists } = schema.parse(fields);
    return {
      ...(description === undefined ? {} : { description }),
      ...byKind((kind) => withoutDoubles(lists[kind])),
      mcpServers,
      fields: fields as Record<string, unknown>,
    };
  } catch (error) {
    // Not UTF-8, not JSON, or other fields.
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof z.ZodError)
      return undefined;
    throw error;
  }
};

/**
 * Why agents can't get the MCP servers of a preset: pi would leave one out, or one may hold a secret as text. A sentence
 * without values. Undefined if they can.
 */
export const serversProblem = (servers: PresetContent['mcpServers']): string | undefined => {
  for (const [name, entry] of Object.entries(servers)) {
    const place = literalPlaceOf(entry);
    if (place)
      return `The MCP server ${quoted(name)} has text at ${quoted(place.join('.'))} that may be a secret, and presets can’t hold secrets. Use a variable such as $NAME instead.`;
  }
  const { refused } = readMcpConfig([{ text: JSON.stringify({ mcpServers: servers }), isProject: false }]);
  for (const [name, { message }] of refused)
    return `pi would leave out the MCP server ${quoted(name)}: ${message}`;
  return undefined;
};

/** Presets were files with these lists before there were others. */
const ALWAYS_WRITTEN: readonly LinkKind[] = ['skills', 'extensions'];
const WRITTEN_ORDER = [...ALWAYS_WRITTEN, ...LINK_KINDS.filter((kind) => !ALWAYS_WRITTEN.includes(kind))];

/**
 * The bytes of a preset. Fields of the file before that dot-mi doesn't know stay where they are. Of the newer kinds, an
 * empty list is left out.
 */
export const formatPreset = (content: PresetContent, before?: ParsedPreset): Buffer => {
  const { description: _, ...kept } = before?.fields ?? {};
  const fields: Record<string, unknown> = {
    ...(content.description === undefined ? kept : (before?.fields ?? {})),
    ...(content.description === undefined ? {} : { description: content.description }),
  };
  for (const kind of WRITTEN_ORDER) {
    const names = withoutDoubles(content[kind]);
    if (names.length > 0 || ALWAYS_WRITTEN.includes(kind)) fields[kind] = names;
    else delete fields[kind];
  }
  if (Object.keys(content.mcpServers).length > 0) fields.mcpServers = content.mcpServers;
  else delete fields.mcpServers;
  return Buffer.from(`${JSON.stringify(fields, null, 2)}\n`);
};
