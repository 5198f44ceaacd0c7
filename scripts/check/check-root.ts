import { readAgent } from '../../src/server/checks/read/read-agent.ts';
import { createSharedReader } from '../../src/server/checks/read/read-shared-entries.ts';
import { checkAgentSnapshot, checkSkillSnapshot } from '../../src/server/checks/run-rules.ts';
import type { AgentSnapshot } from '../../src/server/checks/snapshot.ts';
import { createEtagOf } from '../../src/server/platform/etag.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { CHECKS_READER } from '../../src/server/root-model/agent-file.ts';
import { contextWithoutWatch } from '../../src/server/root-model/coverage.ts';
import { createLinkFolders } from '../../src/server/root-model/link-folders.ts';
import { recordPaths } from '../../src/server/root-model/path-record.ts';
import { createAgentReading } from '../../src/server/root-model/read-agents.ts';
import { createRootEntries } from '../../src/server/root-model/root-entries.ts';
import type { Finding } from '../../src/shared/api/checks.ts';

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
  const facts = { pricedModels, userSkills: [] };
  const entries = createRootEntries(root);
  const links = createLinkFolders(root, entries);
  const shared = createSharedReader(root, links, checkSkillSnapshot).begin(at);
  const place = { root, etagOf: createEtagOf('') };
  const ofAgents = links.agents(at).map(({ id: name, folders }) => {
    const { record } = recordPaths(at);
    const reading = createAgentReading(place, path, name, record, CHECKS_READER);
    const snapshot = finish(readAgent({ root, reading, folders, record }, shared));
    return { directory: `agents/${name}`, result: checkAgentSnapshot(snapshot, facts) };
  });
  const ofSkills = entries.shared('skills', at).flatMap((name) => {
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
