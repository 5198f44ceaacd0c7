import type { ShownValue } from '../../../../shared/api/form-files.ts';
import type { McpServerChange, McpServerEntry } from '../../../../shared/api/mcp.ts';
import {
  changedNames,
  changedText,
  type FormRow,
  type FormValue,
  isEmpty,
  isKept,
  makeRow,
  type RowProblems,
  rowProblems,
  rowsOf,
  toValue,
} from '../../named-values/named-values.ts';

/** The values that a person typed for a server. */
export interface ServerForm {
  readonly name: string;
  readonly transport: 'stdio' | 'http';
  readonly command: FormValue;
  readonly args: readonly FormRow[];
  readonly env: readonly FormRow[];
  readonly url: FormValue;
  readonly headers: readonly FormRow[];
  readonly description: FormValue;
  /** Used only for the `stdio` transport. */
  readonly cwd: FormValue;
  /** Empty for pi's default. */
  readonly exposure: NonNullable<McpServerEntry['exposure']> | '';
  /** Seconds. Empty for pi's default. */
  readonly timeout: string;
}

/** Returns a server's form, or an empty one. */
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

/** A form's problems, by field. */
export interface FormProblems {
  readonly name?: 'rule' | 'taken' | undefined;
  readonly url?: true | undefined;
  readonly timeout?: true | undefined;
  /** Problems by row key. */
  readonly rows: RowProblems;
  /** True if the form can be saved. */
  readonly isComplete: boolean;
}

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
  const rows = rowProblems(isWebsite ? form.headers : form.env);
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

const changedNumber = (text: string, before: number | undefined): number | null | undefined => {
  const after = text.trim() === '' ? null : Number(text);
  return after === (before ?? null) ? undefined : after;
};

const changedArgs = (
  rows: readonly FormRow[],
  before: readonly ShownValue[] = [],
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

/** Returns a form's changes to a server, or the server to add. Undefined if the form changes nothing. */
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
