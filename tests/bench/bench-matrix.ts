import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { contextWithoutWatch } from '../../src/server/root-model/coverage.ts';
import { getLinkMatrix } from '../../src/shared/api/links.ts';
import { rootViews } from '../support/fresh-scans.ts';
import { type Section, timeFigure } from './figures.ts';
import { agentId, makeMatrixRoot } from './make-roots.ts';
import type { Plan } from './plan.ts';
import { processorMs } from './processor-time.ts';
import type { ServerKinds } from './servers.ts';
import type { Workspace } from './workspace.ts';

const AGENTS = 2_000;
const SKILLS = 500;
const LINKS = 20;
const TARGET_MS = 100;
/** The first ones are for the compiler. */
const IGNORED = 5;
/** A file this new is read again, because its times are too coarse to show another change. */
const SETTLED_MS = 3_500;

/** The figures of the matrix, as processor time of the thread that answers it. */
export const benchMatrix = async (
  workspace: Workspace,
  _kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  const path = workspace.path('root-matrix');
  tell(`writing ${AGENTS} agents with ${LINKS} of ${SKILLS} skills each`);
  makeMatrixRoot(path, AGENTS, SKILLS, LINKS);
  await sleep(SETTLED_MS);
  const { views } = rootViews(path);
  let sent: unknown;
  /** As the thread does: an unchanged answer is not made again. */
  const answer = (): number => {
    const beganMs = processorMs();
    const at = contextWithoutWatch(Date.now());
    const matrix = views.skillsMatrix(at);
    if (matrix !== sent) JSON.stringify(getLinkMatrix.success.body.parse(matrix));
    sent = matrix;
    return processorMs() - beganMs;
  };
  const cold = [answer()];
  for (let i = 0; i < IGNORED; i++) answer();
  const unchanged: number[] = [];
  const changed: number[] = [];
  for (let round = 0; round < plan.throughput.rounds; round++) {
    unchanged.push(answer());
    const link = join(path, 'agents', agentId(round), 'skills', 'another');
    symlinkSync('../../../shared/skills/another', link);
    changed.push(answer());
    rmSync(link);
    answer();
  }
  return [
    {
      title: `Matrix of ${AGENTS} agents and ${SKILLS} skills, processor time of its thread`,
      figures: [
        timeFigure('matrix.cold', 'for the first time', cold),
        timeFigure('matrix.unchanged', 'nothing changed', unchanged, TARGET_MS),
        timeFigure('matrix.changed', 'a link changed', changed, TARGET_MS),
      ],
    },
  ];
};
