import { join } from 'node:path';
import { listStatus, reportStatus } from '../../shared/api/status.ts';
import type { Base, Feature } from '../feature.ts';
import { createStatusService, type StatusListener, type StatusService } from './status.service.ts';
import { createStatusStore } from './status-store.ts';

interface StatusFeatureDeps
  extends Pick<Base, 'config' | 'root' | 'requireAgent' | 'publish' | 'clock' | 'logger'> {
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
}: StatusFeatureDeps): Feature & Pick<StatusService, 'forget'> => {
  const status = createStatusService({
    store: createStatusStore(join(config.dataDirectory, 'data', 'status', `${root.id}.json`), logger),
    requireAgent,
    publish: (ids) => publish({ name: 'status', data: { ids } }),
    listener,
    clock,
  });
  return {
    routes(bind) {
      bind(reportStatus, async ({ params: { id }, body }, caller) => {
        await status.report(id, body, caller.kind !== 'anyone');
        return { ok: true as const };
      });
      // SECURITY: a working directory can be outside the root, and its name can reveal what a person works on.
      bind(listStatus, (_, caller) => status.list({ withDirectories: caller.kind === 'operator' }));
    },
    forget: status.forget,
    start: status.start,
    close: status.close,
  };
};
