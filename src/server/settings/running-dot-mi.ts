import { getHealth } from '../../shared/api/health.ts';

const ASK_TIMEOUT_MS = 1_500;

/** Another dot-mi on a port, as it describes itself. */
interface RunningDotMi {
  /** Such as `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly version: string;
  /** Its root. Undefined if it requires the API token. */
  readonly root: string | undefined;
}

/** SECURITY: any program can send this text. In a terminal, control characters could change other lines. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '');

/**
 * Finds the dot-mi that listens on a port. Undefined if none responds quickly. Sends no secret:
 * a program that pretends to be dot-mi learns nothing.
 */
export const findRunningDotMi = async (host: string, port: number): Promise<RunningDotMi | undefined> => {
  // A wildcard address listens on loopback too.
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const url = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  try {
    const response = await fetch(`${url}/api/health`, {
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
      redirect: 'error',
    });
    const { data } = getHealth.success.body.safeParse(await response.json());
    if (!data) return undefined;
    const { version, dotMiRoot } = data;
    return {
      url,
      version: printable(version),
      root: dotMiRoot === undefined ? undefined : printable(dotMiRoot),
    };
  } catch {
    return undefined;
  }
};

/** Describes another dot-mi's version and root, for people. */
export const describeDotMi = ({ version, root }: RunningDotMi): string =>
  root === undefined ? `version ${version}` : `version ${version}, root ${root}`;

/** Returns the text to print instead of starting a second dot-mi on the same port. */
export const alreadyRunning = (other: RunningDotMi): string =>
  `dot-mi is already running (${describeDotMi(other)}).\n  page  ${other.url}\nTo run another one, set PORT to another port.`;
