import { shell } from 'electron';
import { type HostedServer, PortInUseError } from '../server/host.ts';
import { isPortFree } from '../server/settings/port-free.ts';
import { describeDotMi, findRunningDotMi } from '../server/settings/running-dot-mi.ts';
import type { SettingsStore } from '../server/settings/settings-store.ts';
import { askAlone } from './dialogs.ts';
import { findPortOwner } from './port-owner.ts';

const LOOKED_AT = 50;

const findFreePort = async (host: string, taken: number): Promise<number> => {
  for (let port = taken + 1; port <= Math.min(taken + LOOKED_AT, 65_535); port++) {
    if (await isPortFree(host, port)) return port;
  }
  return 0;
};

/** The person's choice: another port, the same one again, or (undefined) to give up. */
type Choice = { port: number | undefined; isForGood: boolean } | undefined;

const ask = async ({ host, port }: PortInUseError, { canKeep, systemRoot }: StartOnPort): Promise<Choice> => {
  const [other, free] = await Promise.all([findRunningDotMi(host, port), findFreePort(host, port)]);
  const owner = other ? undefined : await findPortOwner(port, systemRoot);
  const choices = [...(other ? (['open'] as const) : []), ...(['move', 'again', 'quit'] as const)];
  const labels = {
    open: 'Open its page',
    move: free === 0 ? 'Use a free port' : `Use port ${free}`,
    again: 'Try again',
    quit: 'Quit',
  };
  const { response, checkboxChecked } = await askAlone({
    type: 'warning',
    message: other
      ? `dot-mi is already running on port ${port} (${describeDotMi(other)}).`
      : `Port ${port} is in use by ${owner ?? 'another program'}.`,
    detail: 'dot-mi needs a port on this computer for its page and its API. Agents call the API there.',
    buttons: choices.map((choice) => labels[choice]),
    defaultId: 0,
    cancelId: choices.indexOf('quit'),
    ...(canKeep && free !== 0 ? { checkboxLabel: `Use port ${free} from now on` } : {}),
  });
  const choice = choices[response];
  if (choice === 'move') return { port: free, isForGood: canKeep && free !== 0 && checkboxChecked };
  if (choice === 'again') return { port: undefined, isForGood: false };
  // If no browser opens, the person still knows the port from the question.
  if (choice === 'open' && other) await shell.openExternal(other.url).catch(() => undefined);
  return undefined;
};

/** How to start the server, and the settings that the person's choice may change. */
interface StartOnPort {
  start(firstPort: number | undefined): Promise<HostedServer>;
  store: SettingsStore;
  /** True if we can save the port, false if the environment sets it. */
  canKeep: boolean;
  /** The Windows directory. Its programs find out who uses the port. */
  systemRoot: string;
}

/** Starts the server. If its port is in use, says by whom and offers another port. Undefined if the person quits. */
export const startOnAPort = async (host: StartOnPort): Promise<HostedServer | undefined> => {
  const { start, store } = host;
  let firstPort: number | undefined;
  for (;;) {
    try {
      return await start(firstPort);
    } catch (error) {
      if (!(error instanceof PortInUseError)) throw error;
      const choice = await ask(error, host);
      if (!choice) return undefined;
      firstPort = choice.port;
      if (choice.isForGood && choice.port !== undefined) {
        const { settings } = await store.read(() => undefined);
        await store.write({ ...settings, port: choice.port });
      }
    }
  }
};
