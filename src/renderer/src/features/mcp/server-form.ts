import type {
  HiddenMcpValue,
  McpServerChange,
  McpServerEntry,
  McpValue,
} from '../../../../shared/api/mcp.ts';
import { isOnlyVariables, mcpSecretPaths, variableInstead } from '../../../../shared/pi/mcp-secrets.ts';

/** A value in the form. */
export interface FormValue {
  /** Empty keeps a hidden value. */
  readonly text: string;
  /** Stands for the value on disk, which nobody sees. */
  readonly kept?: HiddenMcpValue | undefined;
}

/** A line of a list in the form: an argument, or a named value. */
export interface FormRow extends FormValue {
  readonly key: number;
  /** Empty for an argument. */
  readonly name: string;
  /** Its place in the file. Undefined for a new one. */
  readonly index?: number | undefined;
}

/** The lists of a form. */
export type RowGroup = 'args' | 'env' | 'headers';

/** What a person typed about a server. */
export interface ServerForm {
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  readonly command: FormValue;
  readonly args: readonly FormRow[];
  readonly env: readonly FormRow[];
  readonly url: FormValue;
  readonly headers: readonly FormRow[];
  readonly description: FormValue;
  /** Only for a program. */
  readonly cwd: FormValue;
  /** Empty for pi's default. */
  readonly exposure: NonNullable<McpServerEntry['exposure']> | '';
  /** Seconds. Empty for pi's default. */
  readonly timeout: string;
}

let lastKey = 0;

const toValue = (value: McpValue | undefined): FormValue =>
  typeof value === 'object' ? { text: '', kept: value } : { text: value ?? '' };

/** A line of a list. Without a value, a new one. */
export const makeRow = (name = '', value?: McpValue, index?: number): FormRow => ({
  ...toValue(value),
  key: ++lastKey,
  name,
  index,
});

const rowsOf = (values: Readonly<Record<string, McpValue>> = {}): FormRow[] =>
  Object.entries(values).map(([name, value], index) => makeRow(name, value, index));

/** The form of a server. Without one, an empty form. */
export const formOf = (entry: McpServerEntry | undefined): ServerForm => ({
  name: entry?.name ?? '',
  transport: entry?.transport ?? 'stdio',
  command: toValue(entry?.command),
  args: (entry?.args ?? []).map((value, index) => makeRow('', value, index)),
  env: rowsOf(entry?.env),
  url: toValue(entry?.url),
  headers: rowsOf(entry?.headers),
  description: toValue(entry?.description),
  cwd: toValue(entry?.cwd),
  exposure: entry?.exposure ?? '',
  timeout: entry?.timeout === undefined ? '' : String(entry.timeout),
});

const isKept = ({ text, kept }: FormValue): boolean => kept !== undefined && text === '';

const isEmpty = ({ text, kept }: FormValue): boolean => text.trim() === '' && kept === undefined;

/** What is wrong with a form. Each is a problem of one field. */
export interface FormProblems {
  readonly name?: 'rule' | 'taken' | undefined;
  readonly url?: true | undefined;
  readonly timeout?: true | undefined;
  /** By the key of a row. */
  readonly rows: ReadonlyMap<number, 'duplicate' | 'nameMissing'>;
  /** Whether it can be saved. */
  readonly isComplete: boolean;
}

/** Lines that nothing was typed in are ignored. */
const filled = (rows: readonly FormRow[]): FormRow[] =>
  rows.filter((row) => row.name.trim() !== '' || !isEmpty(row));

/** Checks a form. `taken` has the names of the agent's other servers. */
export const problemsOf = (
  form: ServerForm,
  taken: readonly string[],
  oldName: string | undefined,
): FormProblems => {
  const name = form.name.trim();
  const isNameFine = name === oldName || /^[A-Za-z0-9_-]{1,128}$/.test(name);
  const nameProblem = taken.includes(name) ? 'taken' : name !== '' && !isNameFine ? 'rule' : undefined;
  const isWebsite = form.transport === 'http';
  const url = form.url.text.trim();
  const isUrlWrong = isWebsite && url !== '' && !/^https?:\/\/./.test(url);
  const rows = new Map<number, 'duplicate' | 'nameMissing'>();
  const names = new Set<string>();
  for (const row of filled(isWebsite ? form.headers : form.env)) {
    const rowName = row.name.trim();
    if (rowName === '') rows.set(row.key, 'nameMissing');
    else if (names.has(rowName)) rows.set(row.key, 'duplicate');
    names.add(rowName);
  }
  const timeout = form.timeout.trim();
  const isTimeoutWrong = timeout !== '' && !(Number(timeout) > 0 && Number.isFinite(Number(timeout)));
  const isMissing = name === '' || isEmpty(isWebsite ? form.url : form.command);
  return {
    name: nameProblem,
    url: isUrlWrong ? true : undefined,
    timeout: isTimeoutWrong ? true : undefined,
    rows,
    isComplete: !nameProblem && !isUrlWrong && !isTimeoutWrong && rows.size === 0 && !isMissing,
  };
};

/** The text of a field, if it differs from what the file has. Null if it is empty now. */
const changedText = (value: FormValue, before: McpValue | undefined): string | null | undefined => {
  if (isKept(value) || value.text === (before ?? '')) return undefined;
  const text = value.text.trim();
  return text === '' ? null : text;
};

const changedNumber = (text: string, before: number | undefined): number | null | undefined => {
  const after = text.trim() === '' ? null : Number(text);
  return after === (before ?? null) ? undefined : after;
};

const changedNames = (
  rows: readonly FormRow[],
  before: Readonly<Record<string, McpValue>> = {},
): Record<string, string | null> | undefined => {
  const changed = filled(rows).flatMap((row): [string, string][] => {
    const name = row.name.trim();
    return isKept(row) || before[name] === row.text ? [] : [[name, row.text]];
  });
  const names = new Set(rows.map(({ name }) => name.trim()));
  const gone = Object.keys(before).flatMap((name): [string, null][] =>
    names.has(name) ? [] : [[name, null]],
  );
  return changed.length + gone.length === 0 ? undefined : Object.fromEntries([...changed, ...gone]);
};

const changedArgs = (
  rows: readonly FormRow[],
  before: readonly McpValue[] = [],
): McpServerChange['args'] | undefined => {
  const used = rows.filter((row) => row.index !== undefined || row.text !== '');
  const isSame =
    used.length === before.length &&
    used.every((row, at) => (isKept(row) ? row.index === at : row.text === before[at]));
  if (isSame) return undefined;
  return used.length === 0
    ? null
    : used.map((row) => (isKept(row) ? { hidden: 'text', index: row.index } : row.text));
};

const allGone = (values: object | undefined): Record<string, null> | undefined =>
  values && Object.fromEntries(Object.keys(values).map((name) => [name, null]));

/** What a form changes of a server, or of nothing. Undefined if it changes nothing. */
export const changeOf = (
  form: ServerForm,
  entry: McpServerEntry | undefined,
): { readonly name: string; readonly newName?: string; readonly server: McpServerChange } | undefined => {
  const isWebsite = form.transport === 'http';
  const has = (key: keyof McpServerEntry) => entry?.[key] !== undefined;
  const all: McpServerChange = {
    ...(isWebsite
      ? {
          command: has('command') ? null : undefined,
          args: has('args') ? null : undefined,
          cwd: has('cwd') ? null : undefined,
          env: allGone(entry?.env),
          url: changedText(form.url, entry?.url),
          headers: changedNames(form.headers, entry?.headers),
        }
      : {
          command: changedText(form.command, entry?.command),
          args: changedArgs(form.args, entry?.args),
          cwd: changedText(form.cwd, entry?.cwd),
          env: changedNames(form.env, entry?.env),
          url: has('url') ? null : undefined,
          headers: allGone(entry?.headers),
        }),
    description: changedText(form.description, entry?.description),
    exposure: form.exposure === (entry?.exposure ?? '') ? undefined : form.exposure || null,
    timeout: changedNumber(form.timeout, entry?.timeout),
  };
  const server: McpServerChange = Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  );
  const name = form.name.trim();
  const isRenamed = entry !== undefined && name !== entry.name;
  if (entry && !isRenamed && Object.keys(server).length === 0) return undefined;
  return { name: entry?.name ?? name, ...(isRenamed ? { newName: name } : {}), server };
};

/** What to write in the place of a secret, and whether it is there already. */
export interface SecretAdvice {
  readonly instead: string | undefined;
  /** `literal`: the text would be stored. `moved`: a variable replaces the hidden text. */
  readonly state: 'literal' | 'moved' | undefined;
}

/** Says how to keep a value out of mcp.json. */
export const adviceOn = (server: string, group: 'env' | 'headers', row: FormRow): SecretAdvice => {
  const name = row.name.trim();
  if (isKept(row)) return { instead: row.kept?.instead, state: undefined };
  if (row.kept?.hidden === 'text' && isOnlyVariables(row.text)) return { instead: undefined, state: 'moved' };
  const [found] = mcpSecretPaths({ [group]: { [name]: row.text } });
  return found
    ? { instead: variableInstead(server.trim() || 'server', found, row.text), state: 'literal' }
    : { instead: undefined, state: undefined };
};
