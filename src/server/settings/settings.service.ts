import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute, normalize } from 'node:path';
import type { ChangedSettings, Settings, SettingsChange, StoredSettings } from '../../shared/api/settings.ts';
import {
  EDITABLE_SETTINGS,
  type EditableSetting,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  type SettingValue,
  STARTER_ROOT,
  savedRange,
} from '../../shared/settings.ts';
import { type BtcSource, type Config, ConfigError } from '../config.ts';
import { AppError } from '../platform/app-error.ts';
import { expandHome } from '../platform/home.ts';
import { rootOverlap } from '../platform/own-data.ts';
import { isPortFree } from './port-free.ts';
import { describeDotMi, findRunningDotMi } from './running-dot-mi.ts';
import type { SettingsHost } from './settings-host.ts';

/** Reads and changes the settings. */
interface SettingsService {
  read(): Settings;
  /** Throws `invalid_request` with the setting's issue, `setting_overridden`, `port_in_use` and `restarting`. */
  change(change: SettingsChange): Promise<ChangedSettings>;
}

const invalid = (setting: EditableSetting, message: string, cause?: unknown) =>
  new AppError('invalid_request', message, { issues: [{ path: `body.${setting}`, message }] }, cause);

const sourceText = ({ name, url }: BtcSource) => (url === undefined ? name : `${name}=${url}`);

const shown = (config: Config): Pick<Settings, 'settings' | 'starterRoot' | 'firstRun'> => {
  const values: { [N in SettingName]: SettingValue<N> } = {
    ...config,
    root: config.rootPath ?? config.starterRootPath,
    btcSources: config.btcSources.map(sourceText),
    sessionDirectories: config.sessionDirectories.map(({ agent, path }) => `${agent}=${path}`),
  };
  const settings = SETTING_NAMES.map((name) => {
    const { origin, variable } = config.origins[name];
    const editable = SETTINGS[name].editable && origin !== 'environment';
    return [name, { value: values[name], origin, variable, editable }];
  });
  return {
    settings: {
      ...(Object.fromEntries(settings) as Omit<Settings['settings'], 'dataDirectory'>),
      dataDirectory: { value: config.dataDirectory, origin: 'default', variable: null, editable: false },
    },
    starterRoot: config.starterRootPath,
    firstRun: isFirstRun(config),
  };
};

/** Returns true until someone has chosen a root. */
export const isFirstRun = (config: Config): boolean => config.origins.root.origin === 'default';

/**
 * Refuses an interval below the minimum, because the price sources limit requests. An environment variable can still
 * set a shorter one.
 */
const requireInterval = (seconds: number | null | undefined): void => {
  const [least] = savedRange('btcRefreshIntervalSeconds');
  if (seconds === null || seconds === undefined || seconds >= least) return;
  throw invalid(
    'btcRefreshIntervalSeconds',
    `Enter at least ${least} seconds, because the price sources limit requests.`,
  );
};

/** Verifies that a path can be a root: an absolute path to a directory that we can read. */
const requireRoot = async (path: string): Promise<void> => {
  if (!isAbsolute(path))
    throw invalid('root', `"${path}" is not an absolute path. Enter the full path of the root.`);
  const stats = await stat(path).catch((error: unknown) => {
    throw invalid(
      'root',
      `The folder "${path}" doesn’t exist or can’t be reached. Choose another one.`,
      error,
    );
  });
  if (!stats.isDirectory()) throw invalid('root', `"${path}" is not a folder. Choose a folder.`);
  await access(path, constants.R_OK | constants.X_OK).catch((error: unknown) => {
    throw invalid(
      'root',
      `The operating system doesn’t allow dot-mi to read "${path}". Change its permissions, or choose another folder.`,
      error,
    );
  });
};

const merge = (stored: StoredSettings, change: SettingsChange): StoredSettings =>
  Object.fromEntries(
    Object.entries({ ...stored, ...change }).filter(([, value]) => value !== null && value !== undefined),
  );

/** Creates the service. `rememberRoot` gets each root that the operator chooses. */
export const createSettingsService = (
  host: Omit<SettingsHost, 'restart'>,
  rememberRoot: (path: string) => Promise<void>,
): SettingsService => {
  const read = (config: Config = host.config()): Settings => ({
    ...shown(config),
    lastError: host.lastError(),
    damagedFile: host.damagedFile(),
  });

  const requireOurs = (change: SettingsChange) => {
    for (const name of EDITABLE_SETTINGS) {
      const { origin, variable } = host.config().origins[name];
      if (change[name] === undefined || origin !== 'environment') continue;
      throw new AppError(
        'setting_overridden',
        `The environment variable ${variable} sets this. Change or remove it, then start dot-mi again.`,
        { setting: name, variable },
      );
    }
  };

  const preview = (next: StoredSettings): Config => {
    try {
      return host.preview(next);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const setting = EDITABLE_SETTINGS.find((name) => SETTINGS[name].variable === error.variable);
      throw setting === undefined ? error : invalid(setting, error.message, error);
    }
  };

  const requirePort = async ({ host: address, port }: Config) => {
    // The saved port may be taken while this process uses another one. That must not prevent other changes.
    if (port === 0 || port === host.port() || port === host.config().port) return;
    if (await isPortFree(address, port)) return;
    const other = await findRunningDotMi(address, port);
    const owner = other ? `another dot-mi (${describeDotMi(other)})` : 'another program';
    const message = `Port ${port} is in use by ${owner}. Choose another port.`;
    throw new AppError('port_in_use', message, { issues: [{ path: 'body.port', message }] });
  };

  return {
    read,
    async change(change) {
      requireOurs(change);
      requireInterval(change.btcRefreshIntervalSeconds);
      const root =
        change.root && change.root !== STARTER_ROOT
          ? normalize(expandHome(change.root.trim(), host.config().homeDirectory))
          : change.root;
      if (root && root !== STARTER_ROOT) await requireRoot(root);
      const { config, restarting, url, pageToken } = await host.change(async (stored) => {
        const next = merge(stored, root === undefined ? change : { ...change, root });
        const wanted = preview(next);
        const wantedRoot = wanted.rootPath ?? wanted.starterRootPath;
        const overlap = root ? rootOverlap(wantedRoot, wanted) : undefined;
        if (overlap !== undefined) throw invalid('root', overlap);
        await requirePort(wanted);
        if (root) await rememberRoot(wantedRoot);
        return next;
      });
      return { ...read(config), restarting, url, ...(pageToken === undefined ? {} : { pageToken }) };
    },
  };
};
