import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearestName } from './platform/nearest-name.ts';
import { quoted } from './platform/words.ts';

/** The argument that trusts the root's current setup script at startup. */
export const TRUST_ROOT_ARGUMENT = '--trust-root';

/** The argument that replaces the operator token at startup. */
export const RENEW_TOKEN_ARGUMENT = '--renew-operator-token';

/** The arguments of the server without a window, for {@link readCommandLine}. */
export const SERVER_OPTIONS = {
  'trust-root': { type: 'boolean' },
  'renew-operator-token': { type: 'boolean' },
} as const;

/** The usage lines for {@link SERVER_OPTIONS}. */
export const SERVER_OPTION_LINES = `  ${TRUST_ROOT_ARGUMENT}            trust the root's setup script as it is now
  ${RENEW_TOKEN_ARGUMENT}  renew the operator token, so that the old one stops working`;

/** The last line of a usage message. */
export const HELP_LINE = '  -h, --help              print this text';

type Options = NonNullable<ParseArgsConfig['options']>;

const end = (exitCode: number, text: string): never => {
  (exitCode === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  return process.exit(exitCode);
};

/** The positional arguments and usage message for {@link readCommandLine}. */
interface Words {
  /** The pattern that each positional argument must match. If it's undefined, none are allowed. */
  positionals?: RegExp;
}

/**
 * Parses this process's arguments with `parseArgs`. `--help` and `-h` print `usage` and exit with code 0. For an
 * unknown argument or a missing value, it prints the problem and `usage` and exits with code 2.
 */
export const readCommandLine = <const T extends Options>(
  usage: string,
  options: T,
  { positionals }: Words = {},
) => {
  const known = { ...options, help: { type: 'boolean', short: 'h' } } as const;
  const names = Object.keys(known);
  const args = process.argv.slice(2);
  const { tokens } = parseArgs({ args, options: known, strict: false, allowPositionals: true, tokens: true });
  const unknown: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'option' && token.name === 'help') return end(0, usage);
    if (token.kind === 'option' && !names.includes(token.name)) unknown.push(token.rawName);
    if (token.kind === 'positional' && !positionals?.test(token.value)) unknown.push(token.value);
  }
  if (unknown.length > 0) {
    const candidates = names.map((name) => `--${name}`);
    const lines = unknown.map((text) => {
      const meant = nearestName(text, candidates);
      return `${quoted(text)} is not a known argument.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
    });
    return end(2, `${lines.join('\n')}\n\n${usage}`);
  }
  try {
    return parseArgs({ args, options: known, allowPositionals: positionals !== undefined });
  } catch (error) {
    return end(2, `${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
};
