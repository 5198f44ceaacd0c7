import { stat } from 'node:fs/promises';
import { ConfigError, readConfig } from './config.ts';
import { StartError } from './http/http-server.ts';
import { type RunningServer, startServer } from './start.ts';

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

const run = async () => {
  const config = readConfig(process.cwd());
  const server = await startServer(config);
  await announce(server, config.devMode);

  let closing = false;
  const close = async () => {
    // A second signal means it: leave now.
    if (closing) process.exit(1);
    closing = true;
    await server.close();
    process.exit(0);
  };
  process.on('SIGINT', close);
  process.on('SIGTERM', close);
};

run().catch((error: unknown) => {
  const known = error instanceof ConfigError || error instanceof StartError;
  process.stderr.write(
    `${known ? error.message : `dot-mi cannot start: ${error instanceof Error ? error.stack : error}`}\n`,
  );
  process.exit(1);
});
