import { isJsonObject } from '../shared/json-object.ts';
import { findSecrets } from './secrets.ts';

/** The kinds of entries that a package can add to an agent, in pi's order. */
export const PACKAGE_RESOURCES = ['extensions', 'skills', 'prompts', 'themes'] as const;

export type PackageResource = (typeof PACKAGE_RESOURCES)[number];

/** A package's source, as pi reads it. */
export type PackageSource =
  /** `version` is a version, a range or a tag. */
  | { readonly kind: 'npm'; readonly name: string; readonly version?: string }
  | { readonly kind: 'git'; readonly host: string; readonly path: string; readonly ref?: string }
  | { readonly kind: 'path'; readonly path: string };

/** An entry in the `packages` list of a settings.json. If `source` is undefined, pi fails. */
export interface PackageEntry {
  readonly source: string | undefined;
  /** The entry's object. Undefined if the entry is a string. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the entries of `packages`. Undefined if it isn't a list. */
export const packageEntries = (packages: unknown): PackageEntry[] | undefined =>
  packages === undefined
    ? []
    : Array.isArray(packages)
      ? packages.map((entry: unknown) => {
          const fields = isJsonObject(entry) ? entry : undefined;
          const source = fields ? fields.source : entry;
          return { source: typeof source === 'string' ? source : undefined, fields };
        })
      : undefined;

/** Hosts whose pages have URLs below the repository, such as `/tree/main`. */
const WITH_PAGES: ReadonlySet<string> = new Set(['github.com', 'bitbucket.org']);

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** Returns whether part of a path would leave the directory of pi's clones. */
const isUnsafe = (text: string): boolean =>
  [text, decoded(text)].some(
    (each) =>
      each === undefined || /[\0\\]/.test(each) || each.startsWith('/') || each.split('/').includes('..'),
  );

const gitSource = (hostname: string, wholePath: string, committish?: string): PackageSource | undefined => {
  const host = hostname.replace(/^www\.(?=github\.com$|gitlab\.com$|bitbucket\.org$)/, '');
  const [beforeRef = '', ref = committish] = wholePath.split(/@(.+)/s);
  const names = beforeRef.split('/');
  const isPage = WITH_PAGES.has(host) && names[2] === 'tree' && names.length > 3;
  const path = (isPage ? names.slice(0, 2).join('/') : beforeRef).replace(/\/+$/, '').replace(/\.git$/, '');
  if (host === '' || host.includes('/') || !/[^/]\/[^/]/.test(path) || isUnsafe(host) || isUnsafe(path))
    return undefined;
  const named = isPage ? names.slice(3).join('/') : ref;
  return { kind: 'git', host, path, ...(named ? { ref: named } : {}) };
};

const gitUrl = (text: string): PackageSource | undefined => {
  const scp = /^git@([^:/]+):(.+)$/s.exec(text);
  if (scp) return gitSource(scp[1] ?? '', scp[2] ?? '');
  if (/^(?:https?|ssh|git):\/\//i.test(text)) {
    if (!URL.canParse(text)) return undefined;
    const url = new URL(text);
    return gitSource(url.hostname, url.pathname.replace(/^\/+/, ''), url.hash.slice(1));
  }
  const [host = '', path = ''] = text.split(/\/(.*)/s);
  return host.includes('.') || host === 'localhost' ? gitSource(host, path) : undefined;
};

/**
 * Reads a source as pi 1.5 does in its `parseSource`. Here, `git:owner/name` counts as a path, although pi requests a
 * GitHub URL for it, which doesn't exist.
 */
export const parsePackageSource = (source: string): PackageSource => {
  if (source.startsWith('npm:')) {
    const spec = source.slice('npm:'.length).trim();
    const [, name = spec, version] = /^(@?[^@]+(?:\/[^@]+)?)(?:@(.+))?$/s.exec(spec) ?? [];
    return { kind: 'npm', name, ...(version === undefined ? {} : { version }) };
  }
  const text = source.trim();
  const isGit = /^(?:git:|https?:\/\/|ssh:\/\/)/i.test(text);
  return (isGit && gitUrl(text.replace(/^git:\s*/, ''))) || { kind: 'path', path: text };
};

/** Returns a package's identity. If several entries have the same one, pi uses only the first. */
export const packageIdentity = (source: PackageSource): string => {
  if (source.kind === 'npm') return `npm:${source.name}`;
  if (source.kind === 'git') return `git:${source.host}/${source.path}`;
  return `path:${source.path.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '')}`;
};

/** The longest source that dot-mi reads, in characters. */
const MAX_SOURCE = 2_000;

/** A valid npm package name. SECURITY: pi and dot-mi build a path from it. */
const NPM_NAME = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i;

/** A source that pi would interpret differently than the person meant. */
const LOOKS_LIKE_OTHER = /^(?:git|github|gitlab|bitbucket|gist|https?|ssh|builtin|npm)(?::|@|\+)/i;

/** Returns why pi would ignore or refuse a source, as the end of a sentence. Undefined if pi accepts it. */
export const sourceProblem = (source: string): string | undefined => {
  if (source.length > MAX_SOURCE) return 'is too long';
  const parsed = parsePackageSource(source);
  if (parsed.kind === 'npm')
    return NPM_NAME.test(parsed.name)
      ? undefined
      : 'doesn’t name an npm package, such as npm:@scope/name@1.0.0';
  if (parsed.kind === 'git') return undefined;
  if (parsed.path === '') return 'is empty';
  return LOOKS_LIKE_OTHER.test(parsed.path)
    ? 'is neither a path nor a repository. Write a repository as git:github.com/owner/name, and a package as npm:name'
    : undefined;
};

/** A repository on GitHub, or on a named host, without `git:`. */
const REPOSITORY = /^(?:[\w.-]+\.[a-z]+\/)?[\w-][\w.-]*\/[\w-][\w.-]*$/i;

/**
 * Returns what a source without a prefix can mean: an npm package or a repository, and the path that pi makes of it. Empty
 * if only one thing is possible.
 */
export const possibleSources = (text: string): readonly string[] => {
  const source = text.trim();
  if (parsePackageSource(source).kind !== 'path' || sourceProblem(source) !== undefined) return [];
  if (sourceProblem(`npm:${source}`) === undefined) return [`npm:${source}`, `./${source}`];
  if (!REPOSITORY.test(source)) return [];
  const isNamed = parsePackageSource(`git:${source}`).kind === 'git';
  return [`git:${isNamed ? '' : 'github.com/'}${source}`, `./${source}`];
};

/** Replaces the hidden part of a package's source. */
export const HIDDEN_PART = '…';

/** Replaces the user in a URL, unless SSH needs it. */
const withoutUser = (text: string): string =>
  text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)([^/\s]*)@/gi, (whole, scheme: string, user: string) =>
      user === 'git' || (/^(?:git\+)?ssh:/i.test(scheme) && !user.includes(':'))
        ? whole
        : `${scheme}${HIDDEN_PART}@`,
    )
    .replace(/^(\s*git:\s*)(?!git@)([^/\s]*)@(?=[^/\s]*[/:])/i, `$1${HIDDEN_PART}@`);

/** Returns a package's source as the API shows it. SECURITY: a git URL can contain a password or a token. */
export const shownSource = (source: string): string => {
  if (source.length > MAX_SOURCE) return HIDDEN_PART;
  const shown = withoutUser(source).replace(/(:\/\/[^?#\s]*)\?[^#\s]*/g, `$1?${HIDDEN_PART}`);
  return findSecrets(shown).next().done
    ? shown
    : `${/^\s*(?:npm|git):/.exec(source)?.[0].trim() ?? ''}${HIDDEN_PART}`;
};

/** Returns a package's filter, which is a list of patterns. If it's undefined, pi loads everything. */
export const filterIn = (
  { fields }: PackageEntry,
  resource: PackageResource,
): readonly string[] | undefined => {
  const list = fields?.[resource];
  return Array.isArray(list) ? list.filter((pattern) => typeof pattern === 'string') : undefined;
};
