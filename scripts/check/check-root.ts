import { join } from 'node:path';
import { readAgent } from '../../src/server/checks/read/read-agent.ts';
import { listRecorded } from '../../src/server/checks/read/read-file.ts';
import { createSharedReader } from '../../src/server/checks/read/read-shared-entries.ts';
import { checkAgentSnapshot, checkSkillSnapshot } from '../../src/server/checks/run-rules.ts';
import type { AgentSnapshot } from '../../src/server/checks/snapshot.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { insideOfRoot } from '../../src/server/platform/shared-folder.ts';
import { contextWithoutWatch } from '../../src/server/root-model/coverage.ts';
import { recordPaths } from '../../src/server/root-model/path-record.ts';
import type { Finding } from '../../src/shared/api/checks.ts';
import { isAgentId, isEntryName } from '../../src/shared/api/names.ts';

/** The findings of a root. Each file is relative to the root, with `/`. */
export interface RootChecks {
  readonly findings: readonly Finding[];
  /** Whether an agent or a skill has more findings than are listed. */
  readonly truncated: boolean;
  readonly agents: number;
  readonly skills: number;
}

const finish = (steps: Generator<void, AgentSnapshot>): AgentSnapshot => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};

/**
 * Checks all agents and shared skills of a root. `pricedModels` are the models that have a price. The skills in
 * `~/.agents/skills` are left out, so that the result is the same on every machine.
 */
export const checkRoot = (path: string, pricedModels: readonly string[] | undefined): RootChecks => {
  const root = createRoot(path);
  const at = contextWithoutWatch(Date.now());
  const inside = insideOfRoot(root);
  const facts = { pricedModels, userSkills: [] };
  const shared = createSharedReader(root, checkSkillSnapshot).begin(at);
  const namesIn = (directory: string, isName: (name: string) => boolean) =>
    listRecorded(directory, recordPaths(at).record, inside).filter(({ name }) => isName(name));

  const agents = namesIn(root.agents, isAgentId).filter((entry) => entry.isDirectory());
  const ofAgents = agents.map(({ name }) => {
    const snapshot = finish(readAgent(root, name, recordPaths(at).record, shared));
    return { directory: `agents/${name}`, result: checkAgentSnapshot(snapshot, facts) };
  });
  const ofSkills = namesIn(join(path, 'shared', 'skills'), isEntryName).flatMap(({ name }) => {
    const skill = shared.skills(name);
    return skill ? [{ directory: `shared/skills/${name}`, result: skill.result }] : [];
  });
  const all = [...ofAgents, ...ofSkills];
  return {
    findings: all.flatMap(({ directory, result }) =>
      result.findings.map((finding) => ({ ...finding, file: `${directory}/${finding.file}` })),
    ),
    truncated: all.some(({ result }) => result.truncated),
    agents: ofAgents.length,
    skills: ofSkills.length,
  };
};
