/** The kind of secret that each group in {@link SECRET} matches, for messages. */
const KINDS = {
  api: 'An API key',
  github: 'A GitHub token',
  slack: 'A Slack token',
  aws: 'An AWS key',
  nostr: 'A Nostr private key',
  cashu: 'A Cashu token',
  pem: 'A private key',
} as const;

/** The formats of well-known secrets. Each starts with a different prefix, so that no part is read twice. */
const SECRET =
  /-----BEGIN (?<pem>[A-Z ]{0,20}PRIVATE KEY)-----|\b(?:(?<api>(?:sk-|xai-|gsk_|hf_|tvly-|pplx-|nvapi-|fw_|AIza)[A-Za-z0-9_-]{20,})|(?<github>(?:gh[pousr]_|github_pat_|glpat-)[A-Za-z0-9_-]{20,})|(?<slack>xox[abprs]-[A-Za-z0-9-]{20,})|(?<aws>AKIA[A-Z0-9]{16})\b|(?<nostr>nsec1[02-9ac-hj-np-z]{58})\b|(?<cashu>cashu[AB][A-Za-z0-9_-]{80,}))/g;

const PLACEHOLDER = /x{4}|\.{3}|your|example|placeholder|changeme|change-me|redacted|dummy|(.)\1{5}/i;

/** Returns whether text is only an example of a secret. */
export const isPlaceholder = (text: string): boolean => PLACEHOLDER.test(text);

/** The length of the longest prefix: `github_pat_`. */
const MARK = 11;

/** Returns whether a key looks random, as real ones do: with letters, digits and many different characters. */
const looksReal = (text: string): boolean => {
  const start = text.slice(0, 80);
  const random = start.slice(Math.min(MARK, start.length - 16));
  return /\d/.test(random) && /[a-z]/i.test(random) && new Set(random).size >= 9 && !isPlaceholder(start);
};

/** A secret in text. Never repeat the text in its range. */
interface FoundSecret {
  /** The kind of secret, such as "An API key". */
  readonly kind: string;
  /** In UTF-16 code units from the start of the text. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

/** Finds text that looks like a secret, by the formats of well-known services. */
export function* findSecrets(text: string): Generator<FoundSecret> {
  for (const match of text.matchAll(SECRET)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? ['api'];
    if (kind !== 'pem' && !looksReal(match[0])) continue;
    yield {
      kind: KINDS[kind as keyof typeof KINDS],
      start: match.index,
      end: match.index + match[0].length,
    };
  }
}
