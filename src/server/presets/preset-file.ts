import { z } from 'zod';
import { isPresetName, type PresetContent } from '../../shared/api/presets.ts';
import { parseShallowJson } from '../../shared/shallow-json.ts';

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
  skills: z.array(z.string()).default([]),
  extensions: z.array(z.string()).default([]),
});

/** The content of the file of a preset. `fields` are all of its fields, in their order. */
export interface ParsedPreset extends PresetContent {
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads the text of a preset. Undefined if it isn't one. */
export const parsePreset = (bytes: Uint8Array): ParsedPreset | undefined => {
  try {
    const fields: unknown = parseShallowJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const { description, skills, extensions } = schema.parse(fields);
    return {
      ...(description === undefined ? {} : { description }),
      skills: [...new Set(skills)],
      extensions: [...new Set(extensions)],
      fields: fields as Record<string, unknown>,
    };
  } catch (error) {
    // Not UTF-8, not JSON, or other fields.
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof z.ZodError)
      return undefined;
    throw error;
  }
};

/** The bytes of a preset. Fields of the file before that dot-mi doesn't know stay where they are. */
export const formatPreset = (content: PresetContent, before?: ParsedPreset): Buffer => {
  const { description: _, ...kept } = before?.fields ?? {};
  const fields = {
    ...(content.description === undefined ? kept : (before?.fields ?? {})),
    ...(content.description === undefined ? {} : { description: content.description }),
    skills: [...new Set(content.skills)],
    extensions: [...new Set(content.extensions)],
  };
  return Buffer.from(`${JSON.stringify(fields, null, 2)}\n`);
};
