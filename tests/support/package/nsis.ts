/**
 * Runs macros of an NSIS script on a registry. It knows only the few instructions in packaging/installer.nsh
 * (NSIS manual, chapter 4; LogicLib.nsh) and throws on any other. `makensis` checks that the script is valid.
 */

/** Values by root, key and name. A key's default value has an empty name. */
export type Registry = Map<string, string>;

/** The surroundings of the installer. */
export interface Installation {
  registry: Registry;
  /** SHCTX: the person's, or the machine's. */
  shellContext: 'HKCU' | 'HKLM';
  directory: string;
  /** The links in the Start menu: those of the person, and those of all. */
  startMenu?: Map<'current' | 'all', string[]>;
  /** Whether an update runs the uninstaller. Default false. */
  isUpdated?: boolean;
  defines: Readonly<Record<string, string>>;
}

/** The place of a value in a {@link Registry}. */
export const valueAt = (root: string, key: string, name = ''): string =>
  `${root}\\${key} ${name}`.toLowerCase();

const CLASSES = 'Software\\Classes\\';

/** The words of a line: quoted in one of three ways, or bare. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|`([^`]*)`|(\S+)/g)].map(
    ([, double, single, back, bare]) => double ?? single ?? back ?? bare ?? '',
  );

interface Macro {
  parameters: string[];
  lines: string[];
}

const readMacros = (script: string, defines: Record<string, string>): Map<string, Macro> => {
  const macros = new Map<string, Macro>();
  let open: Macro | undefined;
  for (const line of script.split('\n').map((text) => text.trim())) {
    const [head, name = '', ...rest] = wordsOf(line);
    if (line === '' || line.startsWith(';')) continue;
    if (head === '!macro') {
      open = { parameters: rest, lines: [] };
      macros.set(name, open);
    } else if (head === '!macroend') open = undefined;
    else if (open) open.lines.push(line);
    else if (head === '!define') defines[name] = rest[0] ?? '';
    else throw new Error(`outside a macro: ${line}`);
  }
  return macros;
};

/** Runs the macro `name` of `script`. */
export const runMacro = (script: string, name: string, installation: Installation): void => {
  const { registry, shellContext, directory } = installation;
  const defines = { ...installation.defines };
  const macros = readMacros(script, defines);
  const variables: Record<string, string> = {
    INSTDIR: directory,
    SMPROGRAMS: '',
    installMode: shellContext === 'HKLM' ? 'all' : 'CurrentUser',
  };
  let menuOf: 'current' | 'all' = shellContext === 'HKLM' ? 'all' : 'current';

  const rootOf = (root: string) => (root === 'SHCTX' ? shellContext : root);
  const read = (root: string, key: string, value: string): string => {
    // HKCR shows both, and the person's value hides the machine's.
    const places =
      root === 'HKCR' ? ['HKCU', 'HKLM'].map((of) => [of, CLASSES + key]) : [[rootOf(root), key]];
    return places.map(([of = '', at = '']) => registry.get(valueAt(of, at, value))).find(Boolean) ?? '';
  };
  const remove = (root: string, key: string) => {
    const top = `${rootOf(root)}\\${key}`.toLowerCase();
    for (const place of registry.keys())
      if (place.startsWith(`${top} `) || place.startsWith(`${top}\\`)) registry.delete(place);
  };

  const run = (macroName: string, args: readonly string[]) => {
    const { parameters, lines } = macros.get(macroName) ?? {
      parameters: [],
      lines: [`no macro ${macroName}`],
    };
    const known: Record<string, string> = {
      ...defines,
      ...Object.fromEntries(parameters.map((key, nth) => [key, args[nth] ?? ''])),
    };
    const replaced = (text: string): string => {
      const next = text.replaceAll(/\$\{(\w+)\}/g, (all, key: string) => known[key] ?? all);
      return next === text ? text : replaced(next);
    };
    const expand = (word: string) => word.replaceAll(/\$(\w+)/g, (_all, key: string) => variables[key] ?? '');
    // LogicLib ignores case.
    const holds = ([left = '', operator, right = '']: string[]): boolean => {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: NSIS's own placeholder
      if (left === '${isUpdated}' && operator === undefined) return installation.isUpdated ?? false;
      if (operator !== '==') throw new Error(`not known here: ${operator}`);
      return expand(left).toLowerCase() === expand(right).toLowerCase();
    };
    let isOn = true;
    for (const line of lines) {
      const [head = '', ...rawWords] = wordsOf(line);
      const words = rawWords.map(replaced);
      const [first = '', second = '', third = '', fourth = ''] = words;
      const logic = /^\$\{(\w+)\}$/.exec(head)?.[1];
      if (logic === 'if') isOn = holds(words);
      else if (logic === 'ifNot') isOn = !holds(words);
      else if (logic === 'orIf') isOn ||= holds(words);
      else if (logic === 'endIf') isOn = true;
      else if (!isOn) continue;
      else if (head === '!insertmacro') run(first, words.slice(1));
      else if (head === 'ReadRegStr') variables[first.slice(1)] = read(second, expand(third), expand(fourth));
      else if (head === 'WriteRegStr')
        registry.set(valueAt(rootOf(first), expand(second), expand(third)), expand(fourth));
      else if (head === 'DeleteRegKey') remove(first, expand(second));
      else if (head === 'DeleteRegValue')
        registry.delete(valueAt(rootOf(first), expand(second), expand(third)));
      else if (head === 'StrLen') variables[first.slice(1)] = String(expand(second).length);
      else if (head === 'StrCpy')
        variables[first.slice(1)] = expand(second).slice(0, third === '' ? undefined : Number(expand(third)));
      else if (head === 'SetShellVarContext') menuOf = first as typeof menuOf;
      else if (head === 'Delete' && first.startsWith('$SMPROGRAMS\\')) {
        const links = installation.startMenu?.get(menuOf) ?? [];
        installation.startMenu?.set(
          menuOf,
          links.filter((link) => `\\${link}` !== expand(first)),
        );
      } else throw new Error(`not known here: ${line}`);
    }
  };
  run(name, []);
  // What follows in the installer's own script must find its context.
  if (menuOf !== (shellContext === 'HKLM' ? 'all' : 'current')) throw new Error(`the context is ${menuOf}`);
};
