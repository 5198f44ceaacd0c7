/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that programs need to run and to reach the network, and those that configure pi itself. Windows ignores
 * case, so these are in uppercase.
 */
const SYSTEM_VARIABLES: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'TMPDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  // Locale
  'LC_ADDRESS',
  'LC_ALL',
  'LC_COLLATE',
  'LC_CTYPE',
  'LC_IDENTIFICATION',
  'LC_MEASUREMENT',
  'LC_MESSAGES',
  'LC_MONETARY',
  'LC_NAME',
  'LC_NUMERIC',
  'LC_PAPER',
  'LC_TELEPHONE',
  'LC_TIME',
  // pi
  'PI_CACHE_RETENTION',
  'PI_CODING_AGENT_DIR',
  'PI_CODING_AGENT_SESSION_DIR',
  'PI_OFFLINE',
  'PI_PACKAGE_DIR',
  'PI_SKIP_VERSION_CHECK',
  'PI_TELEMETRY',
  // Windows
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);

/**
 * Returns whether a variable is dot-mi's own: the operator's `API_TOKEN`, and all that begin with `DOT_MI_`, such as
 * `DOT_MI_KEY`. No pi that dot-mi starts gets one, whoever names it.
 */
export const isOwnVariable = (name: string): boolean => /^(DOT_MI_.*|API_TOKEN)$/i.test(name);

/** Returns whether a variable is one that programs or pi itself need. */
export const isSystemVariable = (name: string): boolean => SYSTEM_VARIABLES.has(name.toUpperCase());

/**
 * Returns the environment of a pi that dot-mi starts: what pi needs, and the variables in `named`.
 *
 * SECURITY: an agent's files can make pi send any variable anywhere, so it has only those that the operator named.
 */
export const piEnvironment = (environment: Environment, named: readonly string[]): Record<string, string> => {
  const wanted = new Set(named);
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]): [string, string][] =>
      value !== undefined && !isOwnVariable(name) && (isSystemVariable(name) || wanted.has(name))
        ? [[name, value]]
        : [],
    ),
  );
};
