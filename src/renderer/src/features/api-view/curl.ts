import { isRunHost, PAGE_HOST } from '../../../../shared/page-host.ts';
import type { BuiltRequest } from './build-request.ts';

/** Which token a copied command sends. */
export type Sender = 'none' | 'key' | 'operator';

/** Quotes text for POSIX shells. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The file for a body that is long or must be hidden from other users. */
const BODY_FILE = 'body.json';

/** A longer body goes into a file, because systems limit the length of a command. */
const MAX_BODY_CHARACTERS = 2000;

const SECRET_FIELD = /"(\w*(token|mnemonic|seed|password|secret|signature)|words|key)"\s*:/i;

/** Returns whether a body goes into a file, because it's long or other users could see it in the arguments. */
export const isBodyInFile = (body: string): boolean =>
  body.length > MAX_BODY_CHARACTERS || SECRET_FIELD.test(body);

/** SECURITY: curl reads the header from the shell's own printf, whose arguments other users can't see. */
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

/** Returns the curl command for a request to the server at `origin`. It contains no token. */
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

/** Returns whether a host name is one of the page's, which only browsers resolve. */
const isPageName = (hostname: string): boolean => hostname === PAGE_HOST || isRunHost(hostname);

/** Returns the API's address for programs. */
export const apiAddress = ({ protocol, hostname, port }: Pick<Location, 'protocol' | 'hostname' | 'port'>) =>
  `${protocol}//${isPageName(hostname) ? '127.0.0.1' : hostname}${port === '' ? '' : `:${port}`}/api`;
