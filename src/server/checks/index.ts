import { checkAgent, checkSharedSkill, countFindings, fixFindings } from '../../shared/api/checks.ts';
import type { Base, Feature } from '../feature.ts';
import { createChecksService, type WriteFile } from './checks.service.ts';

interface ChecksFeatureDeps extends Pick<Base, 'disk'> {
  writeFile: WriteFile;
}

/** Creates the check routes, which run on the disk thread. */
export const createChecks = ({ disk, writeFile }: ChecksFeatureDeps): Feature => {
  const checks = createChecksService(disk, writeFile);
  return {
    routes(bind) {
      bind(countFindings, () => checks.counts());
      bind(checkAgent, ({ params }) => checks.agent(params.id));
      bind(checkSharedSkill, ({ params }) => checks.skill(params.name));
      bind(fixFindings, ({ params, body }) => checks.fix(params.id, body.findings, body.etags));
    },
  };
};
