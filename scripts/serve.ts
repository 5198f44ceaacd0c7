// `npm run serve`: builds, then runs the server without a window.
import {
  HELP_LINE,
  readCommandLine,
  SERVER_OPTION_LINES,
  SERVER_OPTIONS,
} from '../src/server/command-line.ts';
import { build, NO_BUILD } from './build.ts';
import { requireFreePort } from './require-free-port.ts';

// A variable, so that nothing resolves the path before the build.
const HEADLESS = '../out/main/headless.cjs';

const USAGE = `Builds dot-mi, then starts its server without a window.

Usage: npm run serve -- [--trust-root] [--renew-operator-token] [${NO_BUILD}]

${SERVER_OPTION_LINES}
  ${NO_BUILD}              use what is in out/ as it is
${HELP_LINE}

docs/settings.md lists the environment variables, such as PORT and DOT_MI_ROOT.`;

const { values } = readCommandLine(USAGE, { ...SERVER_OPTIONS, 'no-build': { type: 'boolean' } });
await requireFreePort(process.cwd());
if (!values['no-build'] && !build()) process.exit(1);
// The server reads its own arguments.
process.argv = process.argv.filter((argument) => argument !== NO_BUILD);
await import(HEADLESS);
