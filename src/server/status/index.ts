import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../pi/environment.ts';
import { listStatus, reportStatus, showTerminal } from '../../shared/api/status.ts';
import { ownEnvironment } from '../config.ts';
import type { Base, Feature } from '../feature.ts';
import { findProgram } from '../platform/installed-pi.ts';
import { createTerminals } from './show-terminal.ts';
import { createStatusService, type StatusListener, type StatusService } from './status.service.ts';
import { createStatusStore } from './status-store.ts';

/** The variables by which tmux, kitty and WezTerm find what runs. None comes from a report. */
const TERMINAL_VARIABLES = [
  'HOME',
  'LANG',
  'TERM',
  'USER',
  'TMUX_TMPDIR',
  'XDG_RUNTIME_DIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'WEZTERM_UNIX_SOCKET',
];

const terminalVariables = (environment: Environment): Record<string, string> =>
  Object.fromEntries(
    TERMINAL_VARIABLES.flatMap((name) =>
      environment[name] === undefined ? [] : [[name, environment[name]]],
    ),
  );

interface StatusFeatureDeps
  extends Pick<Base, 'config' | 'root' | 'requireAgent' | 'publish' | 'clock' | 'logger' | 'readSearchPath'> {
  listener: StatusListener | undefined;
}

/** Creates the feature for agents' status. `data/status` stores when each agent last finished. */
export const createStatus = ({
  config,
  root,
  requireAgent,
  publish,
  listener,
  clock,
  logger,
  readSearchPath,
}: StatusFeatureDeps): Feature & Pick<StatusService, 'forget' | 'showTerminal'> => {
  const status = createStatusService({
    store: createStatusStore(join(config.dataDirectory, 'data', 'status', `${root.id}.json`), logger),
    requireAgent,
    publish: (ids) => publish({ name: 'status', data: { ids } }),
    listener,
    terminals: createTerminals({
      platform: process.platform,
      hostName: hostname(),
      readSearchPath,
      environment: terminalVariables(ownEnvironment()),
      systemRoot: config.systemRoot,
      findProgram,
    }),
    clock,
  });
  return {
    routes(bind) {
      bind(reportStatus, async ({ params: { id }, body }, caller) => {
        await status.report(id, body, caller.kind !== 'anyone');
        return { ok: true as const };
      });
      // SECURITY: a working directory can be outside the root, and its name can reveal what a person works on. So can a
      // terminal's.
      bind(listStatus, (_, caller) => status.list({ isOperator: caller.kind === 'operator' }));
      bind(showTerminal, async ({ params: { id } }) => {
        await status.showTerminal(id);
        return { ok: true as const };
      });
    },
    forget: status.forget,
    showTerminal: status.showTerminal,
    start: status.start,
    close: status.close,
  };
};
