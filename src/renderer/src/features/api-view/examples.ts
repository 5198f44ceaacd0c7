// Apart from the page, so that a test can run the commands.
import { isRunHost, PAGE_HOST } from '../../../../shared/page-host.ts';
import { apiView as words } from '../../strings/api-view.ts';
import { quoted } from './curl.ts';

/** A command to copy. */
export interface Example {
  readonly title: string;
  readonly hint?: string;
  readonly command: string;
}

/** Only browsers resolve the names of the page. */
const isPageName = (hostname: string): boolean => hostname === PAGE_HOST || isRunHost(hostname);

/** The address of the API for programs. */
export const apiAddress = ({ protocol, hostname, port }: Pick<Location, 'protocol' | 'hostname' | 'port'>) =>
  `${protocol}//${isPageName(hostname) ? '127.0.0.1' : hostname}${port === '' ? '' : `:${port}`}/api`;

/**
 * The commands, for the API at `address`. `model` is one that has a price.
 *
 * SECURITY: other users see the arguments of a command, so a token comes from a file.
 */
export const examples = (address: string, model: string | undefined): readonly Example[] => [
  { title: words.list, command: `curl -s ${address}/agents` },
  {
    title: words.receive,
    hint: words.receiveHint,
    command: `curl -s ${address}/wallet/receive -H 'Content-Type: application/json' -d @token.json`,
  },
  {
    title: words.price,
    command: `curl -s ${quoted(`${address}/pricing/tokens?model=${encodeURIComponent(model ?? 'gpt-5')}`)}`,
  },
  { title: words.follow, command: `curl -sN ${address}/events` },
];
