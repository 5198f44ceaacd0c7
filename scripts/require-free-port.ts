import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { type Config, ConfigError, readConfig } from '../src/server/config.ts';
import { PortInUseError } from '../src/server/http/http-server.ts';
import { isPortFree } from '../src/server/settings/port-free.ts';
import { alreadyRunning, findRunningDotMi } from '../src/server/settings/running-dot-mi.ts';
import { type StoredSettings, storedSettingsSchema } from '../src/shared/api/settings.ts';

const { productName } = packageJson;

/**
 * The settings of a server, or of the window, which keeps them among its own. The server reports a file that it
 * can't use. The defaults are enough here.
 */
const readStored = async (directory: string): Promise<StoredSettings> => {
  try {
    const kept = JSON.parse(await readFile(join(directory, 'settings.json'), 'utf8'));
    return storedSettingsSchema.parse(kept.server ?? kept);
  } catch {
    return {};
  }
};

const configOrExit = (dataDirectory: string, stored: StoredSettings): Config => {
  try {
    return readConfig(dataDirectory, process.env, stored);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return process.exit(1);
  }
};

/** Where Electron keeps the window's settings when it runs from the sources. */
const windowDirectory = (environment: NodeJS.ProcessEnv): string => {
  const home = homedir();
  if (process.platform === 'darwin') return join(home, 'Library/Application Support', productName);
  if (process.platform === 'win32')
    return join(environment.APPDATA ?? join(home, 'AppData/Roaming'), productName);
  return join(environment.XDG_CONFIG_HOME ?? join(home, '.config'), productName);
};

const exitIfRunning = async ({ host, port }: Config): Promise<void> => {
  const other = port === 0 ? undefined : await findRunningDotMi(host, port);
  if (!other) return;
  console.log(alreadyRunning(other));
  process.exit(0);
};

/**
 * Exits with one line if the server couldn't start. Otherwise that line would appear after the build. If dot-mi
 * already runs on the port, prints its address and exits without an error.
 */
export const requireFreePort = async (dataDirectory: string): Promise<void> => {
  const config = configOrExit(dataDirectory, await readStored(join(dataDirectory, 'data')));
  const { host, port } = config;
  if (port === 0 || (await isPortFree(host, port))) return;
  await exitIfRunning(config);
  console.error(new PortInUseError(host, port).message);
  process.exit(1);
};

/**
 * Like {@link requireFreePort}, for a window, whose settings may name another port. If another program uses the
 * port, the window asks what to do.
 */
export const exitIfWindowRuns = async (): Promise<void> => {
  const dataDirectory = windowDirectory(process.env);
  await exitIfRunning(configOrExit(dataDirectory, await readStored(dataDirectory)));
};
