import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, readConfig } from '../src/server/config.ts';
import { PortInUseError } from '../src/server/http/http-server.ts';
import { isPortFree } from '../src/server/settings/port-free.ts';
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

/** Exits with one line if the server couldn't start. Otherwise that line would appear after the build. */
export const requireFreePort = async (dataDirectory: string): Promise<void> => {
  try {
    const { host, port } = readConfig(dataDirectory, process.env, await readStored(dataDirectory));
    if (port === 0 || (await isPortFree(host, port))) return;
    console.error(new PortInUseError(host, port).message);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
  }
  process.exit(1);
};
