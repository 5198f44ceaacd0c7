import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from './config.ts';
import { type RunningServer, runServer } from './host.ts';
import { StartError } from './http/http-server.ts';
import { systemClock } from './platform/clock.ts';
import { createSettingsFile } from './settings/settings-file.ts';

/** Entry of the server without a window: environment, start, signals. People read standard output, logs go to standard error. */

const say = (line: string) => process.stdout.write(`${line}\n`);

const announce = async (
  { url, operatorToken, rootPath, version, hasPage }: RunningServer,
  devMode: boolean,
) => {
  say(`dot-mi ${version}`);
  say(hasPage ? `  page  ${url}/#token=${operatorToken}` : '  page  not built; run "npm run build"');
  say(`  api   ${url}/api`);
  const isThere = await stat(rootPath).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  say(`  root  ${rootPath}${isThere ? '' : '  (not there: agents cannot be managed until it is)'}`);
  if (devMode) say('  DEV MODE: tokens are not checked and payments are simulated; DEV_MODE=false ends it.');
};

const endWith = (error: unknown) => {
  const known = error instanceof ConfigError || error instanceof StartError;
  process.stderr.write(
    `${known ? error.message : `dot-mi cannot start: ${error instanceof Error ? error.stack : error}`}\n`,
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
      // Only what changed is news: a restart for another price interval is not.
      const facts = [server.url, server.rootPath, devMode].join('\n');
      if (facts !== announced) void announce(server, devMode);
      announced = facts;
    },
    onLost: endWith,
  });

  let closing = false;
  const close = async () => {
    // A second signal means it: leave now.
    if (closing) process.exit(1);
    closing = true;
    await hosted.close();
    process.exit(0);
  };
  process.on('SIGINT', close);
  process.on('SIGTERM', close);
};

run().catch(endWith);
