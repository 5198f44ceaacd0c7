import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RENEW_TOKEN_ARGUMENT, TRUST_ROOT_ARGUMENT } from './command-line.ts';
import { ConfigError } from './config.ts';
import { type RunningServer, runServer } from './host.ts';
import { PortInUseError, StartError } from './http/http-server.ts';
import { systemClock } from './platform/clock.ts';
import { alreadyRunning, findRunningDotMi } from './settings/running-dot-mi.ts';
import { createSettingsFile } from './settings/settings-file.ts';

// Standard output is for people, and logs go to standard error.

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Trusts the root if the command line says so. Returns the lines to print about it. */
const checkTrust = async ({ rootTrust }: RunningServer, trusts: boolean): Promise<string | undefined> => {
  try {
    const { script, trusted, reason } = await (trusts ? rootTrust.trustNow() : rootTrust.read());
    if (trusted && !trusts) return undefined;
    if (trusted)
      return script
        ? `trusted: dot-mi can run ${script.name} (SHA-256 ${script.sha256}).`
        : 'trusted: this root has no setup script.';
    if (!script)
      return `This root isn’t trusted yet. Read its agents' files, then trust it in Settings or start with ${TRUST_ROOT_ARGUMENT}.`;
    const why = reason === 'script_changed' ? 'changed since you trusted it' : 'is not trusted yet';
    return `${script.name} ${why}, so dot-mi won't run it. Read it, then trust it in Settings or start with ${TRUST_ROOT_ARGUMENT}.`;
  } catch (error) {
    return trusts && error instanceof Error ? `not trusted: ${error.message}` : undefined;
  }
};

const renewToken = async (server: RunningServer) => {
  try {
    await server.renewOperatorToken();
    say('        The operator token was renewed. The old one no longer works.');
  } catch (error) {
    endWith(error);
  }
};

const announce = async (server: RunningServer, devMode: boolean, trusts: boolean) => {
  const { url, pageUrl, rootPath, version, hasPage, walletProblem } = server;
  // Do this before printing the address, so that its first caller finds the root trusted.
  const given = trusts ? await checkTrust(server, true) : undefined;
  say(`dot-mi ${version}`);
  say(hasPage ? `  page  ${pageUrl}` : '  page  not built. Run "npm run build".');
  say(`  api   ${url}/api`);
  const isThere = await stat(rootPath).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  say(`  root  ${rootPath}${isThere ? '' : "  (missing: agents can't be managed until this folder exists)"}`);
  const trust = given ?? (await checkTrust(server, false));
  if (trust !== undefined) say(`        ${trust}`);
  if (walletProblem !== undefined) say(`  The wallet is off until the next start: ${walletProblem}.`);
  if (devMode)
    say(
      '  Test money: every token is accepted, and the sats aren’t real. Set DEV_MODE=false for real money.',
    );
};

const endWith = (error: unknown) => {
  const known = error instanceof ConfigError || error instanceof StartError;
  process.stderr.write(
    `${known ? error.message : `dot-mi could not start: ${error instanceof Error ? error.stack : error}`}\n`,
  );
  process.exit(1);
};

const run = async () => {
  const dataDirectory = process.cwd();
  let announced = '';
  const hosted = await runServer({
    dataDirectory,
    store: createSettingsFile(join(dataDirectory, 'data', 'settings.json'), systemClock),
    onStart: (server, { devMode }) => {
      // Announce only changes. A restart for another price interval isn't one.
      const facts = [server.url, server.rootPath, devMode].join('\n');
      if (announced === '' && process.argv.includes(RENEW_TOKEN_ARGUMENT)) void renewToken(server);
      // The argument applies only to the root of the first start.
      const trusts = announced === '' && process.argv.includes(TRUST_ROOT_ARGUMENT);
      if (facts !== announced) void announce(server, devMode, trusts);
      announced = facts;
    },
    onLost: endWith,
  });

  let closing = false;
  const close = async () => {
    // A second signal exits at once.
    if (closing) process.exit(1);
    closing = true;
    await hosted.close();
    process.exit(0);
  };
  process.on('SIGINT', close);
  process.on('SIGTERM', close);
};

/** Runs the server without a window: environment, start, signals. Resolves once it listens, or ends the process. */
export const runHeadless = async (): Promise<void> => {
  try {
    await run();
  } catch (error) {
    const other = error instanceof PortInUseError && (await findRunningDotMi(error.host, error.port));
    if (!other) return endWith(error);
    say(alreadyRunning(other));
    process.exit(0);
  }
};
