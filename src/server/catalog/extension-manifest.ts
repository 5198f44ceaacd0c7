import type { Diagnostic } from '../../shared/api/catalog.ts';
import { isJsonObject } from '../../shared/json-object.ts';
import { parseShallowJson, TooDeepError } from '../../shared/shallow-json.ts';
import type { SharedText } from '../root-model/reader.ts';
import { shortened } from './extension-text.ts';

/** The parts of an extension's package.json that matter to pi or to users. */
interface ExtensionManifest {
  readonly description?: string;
  /** `pi.extensions`: paths relative to the extension's directory. */
  readonly entries: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

const NOTHING: ExtensionManifest = { entries: [], diagnostics: [] };

/** Returns the manifest for a package.json that pi ignores. pi looks for index.ts and index.js instead. */
const ignored = (rule: string, message: string): ExtensionManifest => ({
  entries: [],
  diagnostics: [{ severity: 'warning', rule, message: `${message} pi ignores it.` }],
});

/** The manifest for a package.json that pi would read but dot-mi doesn't. */
const unread: ExtensionManifest = {
  entries: [],
  diagnostics: [
    {
      severity: 'warning',
      rule: 'package-json-unreadable',
      message: 'package.json is nested too deeply, so dot-mi doesn’t read it. Simplify it.',
    },
  ],
};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** Parses an extension's package.json as pi does. If pi would ignore the file, a diagnostic says why. */
export const parseManifest = (read: SharedText): ExtensionManifest => {
  if (!('text' in read)) {
    if (read.problem === 'missing' || read.problem === 'outside') return NOTHING;
    return ignored('package-json-unreadable', 'package.json can’t be read as text.');
  }
  let content: unknown;
  try {
    content = parseShallowJson(read.text);
  } catch (error) {
    if (error instanceof TooDeepError) return unread;
    return ignored('package-json-invalid', 'package.json is not valid JSON.');
  }
  if (!isJsonObject(content)) return ignored('package-json-invalid', 'package.json is not a JSON object.');
  const { description, pi } = content;
  const about =
    typeof description === 'string' && description.trim() !== ''
      ? { description: shortened(description) }
      : {};
  const declared = isJsonObject(pi) ? pi.extensions : undefined;
  if (declared === undefined) return { ...NOTHING, ...about };
  if (!isTexts(declared)) {
    return {
      ...about,
      ...ignored('package-json-extensions', '"pi.extensions" in package.json is not a list of paths.'),
    };
  }
  return { ...about, entries: declared, diagnostics: [] };
};
