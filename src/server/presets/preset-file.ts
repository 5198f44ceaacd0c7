import { z } from 'zod';
import { readMcpConfig } from '../../pi/mcp.ts';
import { literalPlaceOf } from '../../pi/mcp-secrets.ts';
import { byKind, LINK_KINDS, type LinkKind } from '../../shared/api/names.ts';
import { isPresetName, type PresetContent } from '../../shared/api/presets.ts';
import { parseShallowJson } from '../../shared/shallow-json.ts';
import { quoted } from '../platform/words.ts';

/** The presets' directory in `shared`. */
export const PRESETS = 'presets';

const ENDING = '.json';

/** Returns the name of a preset's file. */
export const fileOf = (name: string): string => `${name}${ENDING}`;

/** Returns the preset name in a file name, valid or not. Undefined for a file that can't be a preset. */
export const presetIn = (file: string): string | undefined =>
  file.endsWith(ENDING) && !file.startsWith('.') ? file.slice(0, -ENDING.length) : undefined;

/** Returns whether a file name is a preset's, so that leftover temp files for it can be removed. */
export const isPresetFile = (file: string): boolean => isPresetName(presetIn(file) ?? '');

const schema = z.looseObject({
  description: z.string().optional(),
  ...byKind(() => z.array(z.string()).default([])),
  mcpServers: z.record(z.string(), z.record(z.string(), z.json())).default({}),
});

const withoutDoubles = (names: readonly string[]): string[] => [...new Set(names)];

/** The content of a preset's file. `fields` are all of its fields, in their order. */
export interface ParsedPreset extends PresetContent {
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Parses a preset. Returns undefined if it's invalid. */
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
    // Not UTF-8, not JSON, or a field of the wrong type.
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof z.ZodError)
      return undefined;
    throw error;
  }
};

/**
 * Returns why agents can't get a preset's MCP servers: pi would skip one, or one may contain a secret as text. The
 * result is a sentence without values. Undefined if agents can get them.
 */
export const serversProblem = (servers: PresetContent['mcpServers']): string | undefined => {
  for (const [name, entry] of Object.entries(servers)) {
    const place = literalPlaceOf(entry);
    if (place)
      return `The MCP server ${quoted(name)} has text at ${quoted(place.join('.'))} that may be a secret, and presets can’t hold secrets. Use a variable such as $NAME instead.`;
  }
  const { refused } = readMcpConfig([{ text: JSON.stringify({ mcpServers: servers }), isProject: false }]);
  for (const [name, { message }] of refused)
    return `pi would ignore the MCP server ${quoted(name)}: ${message}`;
  return undefined;
};

/** The first version of presets had only these lists. */
const ALWAYS_WRITTEN: readonly LinkKind[] = ['skills', 'extensions'];
const WRITTEN_ORDER = [...ALWAYS_WRITTEN, ...LINK_KINDS.filter((kind) => !ALWAYS_WRITTEN.includes(kind))];

/** Formats a preset. Unknown fields of the earlier file stay in place. Empty lists of the newer kinds are omitted. */
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
