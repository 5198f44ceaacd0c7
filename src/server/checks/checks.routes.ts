import { checkAgent, checkSharedSkill, countFindings, fixFindings } from '../../shared/api/checks.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { ChecksService } from './checks.service.ts';

/** The routes of the checks. */
export const checksRoutes =
  (checks: ChecksService): Routes =>
  (bind) => {
    bind(countFindings, () => checks.counts());
    bind(checkAgent, ({ params }) => checks.agent(params.id));
    bind(checkSharedSkill, ({ params }) => checks.skill(params.name));
    bind(fixFindings, ({ params, body }) => checks.fix(params.id, body.findings, body.etags));
  };
