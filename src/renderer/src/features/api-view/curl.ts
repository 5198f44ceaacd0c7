// Apart from the page, so that a test can run the commands.
import type { BuiltRequest } from './build-request.ts';

/** With which token a copied command calls the API. */
export type Sender = 'none' | 'key' | 'operator';

/** In single quotes, as POSIX shells read it. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The file that a command reads a body from which other users may not see, or which is long. */
const BODY_FILE = 'body.json';

/** Systems limit the length of a command. */
const MAX_BODY_CHARACTERS = 2000;

const SECRET_FIELD = /"(\w*(token|mnemonic|seed|password|secret|signature)|words|key)"\s*:/i;

/** Whether a body is in a file instead of the command: other users see the arguments of a command. */
export const isBodyInFile = (body: string): boolean =>
  body.length > MAX_BODY_CHARACTERS || SECRET_FIELD.test(body);

/** SECURITY: the shell's own printf has no argument list that other users see, and curl reads the header from it. */
const AUTHORIZATION: Readonly<Record<Exclude<Sender, 'none'>, string>> = {
  key: `printf 'Authorization: Bearer %s' "$DOT_MI_KEY" | `,
  operator: `printf 'Authorization: Bearer %s' "$(cat data/wallet/operator-token)" | `,
};

const compact = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
};

/** The curl command of a request to the server at `origin`. It contains no token. */
export const curlText = (
  { method, url, headers, body }: BuiltRequest,
  origin: string,
  sender: Sender,
): string => {
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const parts = [
    sender === 'none' ? 'curl' : `${AUTHORIZATION[sender]}curl`,
    '-s',
    ...(method === 'GET' || (method === 'POST' && body !== undefined) ? [] : ['-X', method]),
    ...(sender === 'none' ? [] : ['-H', '@-']),
    ...given,
    ...(body === undefined ? [] : ['-d', isBodyInFile(body) ? `@${BODY_FILE}` : quoted(compact(body))]),
    quoted(`${origin}${url}`),
  ];
  return parts.join(' ');
};
