import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError, readConfig } from '../src/server/config.ts';
import { PortInUseError } from '../src/server/http/http-server.ts';
import { isPortFree } from '../src/server/settings/port-free.ts';
import { alreadyRunning, findRunningDotMi } from '../src/server/settings/running-dot-mi.ts';
import { type StoredSettings, storedSettingsSchema } from '../src/shared/api/settings.ts';

/** The server reports a settings file that it can't use. The defaults are enough here. */
const readStored = async (dataDirectory: string): Promise<StoredSettings> => {
  try {
    const text = await readFile(join(dataDirectory, 'data/settings.json'), 'utf8');
    return storedSettingsSchema.parse(JSON.parse(text));
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

/**
 * Exits with one line if the server couldn't start. Otherwise that line would appear after the build. If dot-mi
 * already runs on the port, prints its address and exits without an error.
 */
export const requireFreePort = async (dataDirectory: string): Promise<void> => {
  const { host, port } = configOrExit(dataDirectory, await readStored(dataDirectory));
  if (port === 0 || (await isPortFree(host, port))) return;
  const other = await findRunningDotMi(host, port);
  if (other) {
    console.log(alreadyRunning(other));
    process.exit(0);
  }
  console.error(new PortInUseError(host, port).message);
  process.exit(1);
};

/**
 * Prints the address of a dot-mi that already runs on the port of the environment. The window has its own
 * settings, so it may use another port. It asks if it doesn't.
 */
export const mentionRunning = async (dataDirectory: string): Promise<void> => {
  const { host, port } = configOrExit(dataDirectory, {});
  const other = port === 0 ? undefined : await findRunningDotMi(host, port);
  if (other) console.log(alreadyRunning(other));
};
