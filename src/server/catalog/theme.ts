import { z } from 'zod';
import type { Diagnostic, SharedTheme } from '../../shared/api/catalog.ts';
import { jsonObjectOf } from '../../shared/json-object.ts';
import { parseShallowJson } from '../../shared/shallow-json.ts';
import { listed, quoted } from '../platform/words.ts';
import type { SharedText } from '../root-model/reader.ts';
import { textProblem } from './text-problem.ts';
import schema from './theme.schema.json' with { type: 'json' };

/** A theme as pi parses it, with its problems. */
type Theme = Omit<SharedTheme, 'name' | 'path'>;

/** The length limit for themes that are checked, in characters. A real theme has a few thousand. */
const MAX_CHARACTERS = 256 * 1024;
const MAX_SHOWN = 5;
const MAX_COLOR = 100;

/** pi generates this theme, and ignores a file with its name. */
const RESERVED_NAME = 'system';

const NUMBER = String.raw`([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)`;
const OKLCH = new RegExp(String.raw`^oklch\(\s*${NUMBER}(%)?\s+${NUMBER}\s+${NUMBER}(?:deg)?\s*\)$`, 'i');
const OKHSL = new RegExp(String.raw`^okhsl\(\s*${NUMBER}(?:deg)?\s+${NUMBER}(%)?\s+${NUMBER}(%)?\s*\)$`, 'i');

const isShare = (value: string | undefined, percent: string | undefined): boolean => {
  const share = Number(value) / (percent ? 100 : 1);
  return share >= 0 && share <= 1;
};

/** Returns whether pi's `parseColor` accepts this text. */
const isColor = (text: string): boolean => {
  if (text.length > MAX_COLOR) return false;
  if (/^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(text)) return true;
  const oklch = OKLCH.exec(text);
  if (oklch) return isShare(oklch[1], oklch[2]) && Number(oklch[3]) >= 0 && Number.isFinite(Number(oklch[4]));
  const okhsl = OKHSL.exec(text);
  return okhsl !== null && isShare(okhsl[2], okhsl[3]) && isShare(okhsl[4], okhsl[5]);
};

type ColorValue = string | number;

/** Resolves a color through the variables, as pi does. Returns its problem, if any. */
const colorProblem = (value: ColorValue, vars: Readonly<Record<string, ColorValue>>): string | undefined => {
  const visited = new Set<ColorValue>();
  let color = value;
  while (typeof color === 'string' && color !== '' && !/^(#|ok(lch|hsl)\()/i.test(color)) {
    if (visited.has(color)) return `its variable ${quoted(color)} refers back to itself`;
    visited.add(color);
    const next: ColorValue | undefined = Object.hasOwn(vars, color) ? vars[color] : undefined;
    if (next === undefined) return `"vars" has no ${quoted(color)}`;
    color = next;
  }
  return typeof color === 'number' || color === '' || isColor(color)
    ? undefined
    : `${quoted(color)} is not a color`;
};

interface ThemeFile {
  readonly name: string;
  readonly appearance?: 'dark' | 'light';
  readonly vars?: Readonly<Record<string, ColorValue>>;
  readonly colors: Readonly<Record<string, ColorValue>>;
}

let converted: z.ZodType<ThemeFile> | undefined;
/** pi's theme schema (checks/schemas/README.md), which is converted on first use, because conversion takes 10 ms. */
const themeSchema = (): z.ZodType<ThemeFile> => {
  // TypeScript can't see that the schema describes these fields.
  converted ??= z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema) as z.ZodType<ThemeFile>;
  return converted;
};

const some = (names: readonly string[]): string => {
  const shown = names.slice(0, MAX_SHOWN).map(quoted);
  const more = names.length - shown.length;
  return listed(more > 0 ? [...shown, `${more} more`] : shown);
};

/** Returns one sentence that lists everything the schema refuses in a value. */
const schemaProblem = (value: unknown, { issues }: z.core.$ZodError): string => {
  const theme = jsonObjectOf(value);
  if (!theme) return 'It is not an object.';
  const colors = jsonObjectOf(theme.colors);
  const missing = colors
    ? schema.properties.colors.required.filter((name) => !Object.hasOwn(colors, name))
    : [];
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
  const wrong = issues.flatMap(({ code, path }) => {
    const [top = '', name] = path.map(String);
    if (code === 'unrecognized_keys' || (top === 'colors' && missing.includes(name ?? ''))) return [];
    return [path.map(String).join('.')];
  });
  return [
    missing.length > 0 ? `It doesn’t define these colors: ${some(missing)}.` : '',
    unknown.length > 0 ? `pi doesn’t recognize ${some(unknown)}.` : '',
    wrong.length > 0 ? `The value of ${some(wrong)} is missing or wrong.` : '',
  ]
    .filter(Boolean)
    .join(' ');
};

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: parseShallowJson(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** Returns the theme that the text contains, or a sentence about why pi refuses it. */
const themeIn = (text: string): ThemeFile | string => {
  const json = parse(text);
  if (!json) return 'It is not JSON.';
  const { data, error } = themeSchema().safeParse(json.value);
  if (!data) return schemaProblem(json.value, error);
  for (const [name, value] of Object.entries(data.colors)) {
    const problem = colorProblem(value, data.vars ?? {});
    if (problem !== undefined) return `The color ${quoted(name)} can’t be used: ${problem}.`;
  }
  return data;
};

const invalid = (message: string): Diagnostic => ({ severity: 'error', rule: 'theme-invalid', message });

/** Reads a theme like pi's `loadThemeFromPath`. */
export const readTheme = (read: SharedText): Theme => {
  if (!('text' in read)) return { diagnostics: [textProblem('theme', read)] };
  if (read.text.length > MAX_CHARACTERS)
    return { diagnostics: [{ ...textProblem('theme', { problem: 'too-large' }), message: TOO_LONG }] };
  const theme = themeIn(read.text);
  if (typeof theme === 'string')
    return { diagnostics: [invalid(`${theme} pi refuses this theme and warns at each start.`)] };
  const { name, appearance } = theme;
  return {
    themeName: name,
    description: appearance === undefined ? name : `${name}, for ${appearance} terminals`,
    diagnostics:
      name === RESERVED_NAME
        ? [
            {
              severity: 'warning',
              rule: 'theme-name',
              message: 'pi has its own "system" theme and ignores this one. Change "name" in the file.',
            },
          ]
        : [],
  };
};

const TOO_LONG = 'It has more than 262,144 characters, so dot-mi doesn’t check it. Shorten it.';
