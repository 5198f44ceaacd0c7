import { checkAgent, checkSharedSkill, countFindings, fixFindings } from '../../shared/api/checks.ts';
import type { Base, Feature } from '../feature.ts';
import { readerOf } from '../platform/caller.ts';
import { createChecksService, type WriteFiles } from './checks.service.ts';

interface ChecksFeatureDeps extends Pick<Base, 'disk'> {
  writeFiles: WriteFiles;
}

/** Creates the check routes, which run on the disk thread. */
export const createChecks = ({ disk, writeFiles }: ChecksFeatureDeps): Feature => {
  const checks = createChecksService(disk, writeFiles);
  return {
    routes(bind) {
      bind(countFindings, () => checks.counts());
      bind(checkAgent, ({ params }, caller) => checks.agent(params.id, readerOf(caller)));
      bind(checkSharedSkill, ({ params }, caller) => checks.skill(params.name, readerOf(caller)));
      bind(fixFindings, ({ params, body }, caller) =>
        checks.fix(params.id, body.findings, body.etags, readerOf(caller)),
      );
    },
  };
};
