import { isJsonObject } from '../json-object.ts';
import { findSecrets } from './secrets.ts';

/** What a package can add to an agent, in pi's order. */
export const PACKAGE_RESOURCES = ['extensions', 'skills', 'prompts', 'themes'] as const;

/** One of {@link PACKAGE_RESOURCES}. */
export type PackageResource = (typeof PACKAGE_RESOURCES)[number];

/** What pi takes the source of a package for. */
export type PackageSource =
  /** `version` is a version, a range or a tag. */
  | { readonly kind: 'npm'; readonly name: string; readonly version?: string }
  | { readonly kind: 'git'; readonly host: string; readonly path: string; readonly ref?: string }
  | { readonly kind: 'path'; readonly path: string };

/** An entry of `packages` in a settings.json. Undefined `source`: pi fails at it. */
export interface PackageEntry {
  readonly source: string | undefined;
  /** The object that the entry is. Undefined for a text. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** The entries in the value of `packages`. Undefined if it isn't a list. */
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

/** Hosts whose pages have addresses below the repository, such as `/tree/main`. */
const WITH_PAGES: ReadonlySet<string> = new Set(['github.com', 'bitbucket.org']);

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

/** What would leave the directory of pi's clones. */
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
 * What pi 1.5 takes a source for, as its `parseSource` does. `git:owner/name` counts as a path here, although pi then
 * asks GitHub with an address that doesn't exist.
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

/** What two entries for one package have in common: pi uses only the first of them. */
export const packageIdentity = (source: PackageSource): string => {
  if (source.kind === 'npm') return `npm:${source.name}`;
  if (source.kind === 'git') return `git:${source.host}/${source.path}`;
  return `path:${source.path.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '')}`;
};

/** The longest source that is read. */
export const MAX_SOURCE = 2_000;

/** The name of an npm package. SECURITY: pi makes a path of it, and so does dot-mi. */
const NPM_NAME = /^(?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i;

/** A source that a person meant for something else than pi takes it for. */
const LOOKS_LIKE_OTHER = /^(?:git|github|gitlab|bitbucket|gist|https?|ssh|builtin|npm)(?::|@|\+)/i;

/** Why pi would ignore or refuse a source: the end of a sentence. Undefined if it accepts it. */
export const sourceProblem = (source: string): string | undefined => {
  if (source.length > MAX_SOURCE) return 'is too long';
  const parsed = parsePackageSource(source);
  if (parsed.kind === 'npm')
    return NPM_NAME.test(parsed.name)
      ? undefined
      : 'does not name an npm package, such as npm:@scope/name@1.0.0';
  if (parsed.kind === 'git') return undefined;
  if (parsed.path === '') return 'is empty';
  return LOOKS_LIKE_OTHER.test(parsed.path)
    ? 'is neither a path nor a repository. Write a repository as git:github.com/owner/name, and a package as npm:name'
    : undefined;
};

/** Stands for what is hidden of a source. */
export const HIDDEN_PART = '…';

/** Replaces the user of an address, unless it is the one that SSH needs. */
const withoutUser = (text: string): string =>
  text
    .replace(/([a-z][a-z0-9+.-]*:\/\/)([^/\s]*)@/gi, (whole, scheme: string, user: string) =>
      user === 'git' || (/^(?:git\+)?ssh:/i.test(scheme) && !user.includes(':'))
        ? whole
        : `${scheme}${HIDDEN_PART}@`,
    )
    .replace(/^(\s*git:\s*)(?!git@)([^/\s]*)@(?=[^/\s]*[/:])/i, `$1${HIDDEN_PART}@`);

/** The source of a package as the API shows it. SECURITY: a git URL can hold a password or a token. */
export const shownSource = (source: string): string => {
  if (source.length > MAX_SOURCE) return HIDDEN_PART;
  const shown = withoutUser(source).replace(/(:\/\/[^?#\s]*)\?[^#\s]*/g, `$1?${HIDDEN_PART}`);
  return findSecrets(shown).next().done
    ? shown
    : `${/^\s*(?:npm|git):/.exec(source)?.[0].trim() ?? ''}${HIDDEN_PART}`;
};

/** A list of texts that filters what a package adds. Undefined loads all of it. */
export const filterIn = (
  { fields }: PackageEntry,
  resource: PackageResource,
): readonly string[] | undefined => {
  const list = fields?.[resource];
  return Array.isArray(list) ? list.filter((pattern) => typeof pattern === 'string') : undefined;
};
