import { cpuUsage } from 'node:process';
import { parseFrontmatter } from '../../src/server/catalog/frontmatter.ts';
import { OPERATOR_READER } from '../../src/server/platform/caller.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { createPromptResponses } from '../../src/server/prompt/prompt-responses.ts';
import { plant, type Tree } from '../support/plant.ts';
import type { Figure, Section } from './figures.ts';
import type { Plan } from './plan.ts';
import type { ServerKinds } from './servers.ts';
import { spreadOf } from './statistics.ts';
import type { Workspace } from './workspace.ts';

const SKILLS = 20;
const TARGET_MS = 5;
/** The first ones are for the compiler: a thread that answers its first prompt takes longer. */
const IGNORED = 40;

/** An agent whose texts no other has, so that nothing of it is known. */
const agentTree = (id: string): Tree => ({
  [`agents/${id}/SYSTEM.md`]: `You are ${id}.\n${`Look at ${id}, then report what it does.\n`.repeat(40)}`,
  ...Object.fromEntries(
    Array.from({ length: SKILLS }, (_, skill) => [
      `agents/${id}/skills/skill-${skill}/SKILL.md`,
      `---\nname: skill-${skill}\ndescription: Does part ${skill} of what ${id} is for. Use it when ${id} is asked.\n---\n`,
    ]),
  ),
});

/** The figure of predicted prompts: processor time of the thread, for files and texts that it never saw. */
export const benchPrompts = async (
  workspace: Workspace,
  _kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  tell('prompts');
  const rootPath = workspace.path('root-prompts');
  const rounds = plan.throughput.rounds + IGNORED;
  const ids = Array.from({ length: rounds }, (_, round) => `agent-${round}`);
  for (const id of ids) await plant(rootPath, agentTree(id));
  const answer = createPromptResponses(
    createRoot(rootPath),
    { rootPath, homeDirectory: rootPath, sessionDirectories: [], ownData: [] },
    parseFrontmatter,
  );
  const times: number[] = [];
  for (const id of ids) {
    const before = cpuUsage();
    const question = {
      id,
      cwd: undefined,
      version: '1.5',
      trusted: undefined,
      reader: OPERATOR_READER,
      pi: undefined,
    } as const;
    const { skills } = await answer({ ...question, nowMs: Date.now() });
    const { user, system } = cpuUsage(before);
    if (skills.length !== SKILLS) throw new Error(`${skills.length} skills were found, of ${SKILLS}`);
    times.push((user + system) / 1000);
  }
  const spread = spreadOf(times.slice(IGNORED));
  const figure: Figure = {
    id: 'prompt.cold',
    name: `prompt of an agent with ${SKILLS} skills, cold`,
    unit: 'ms',
    ours: spread.median,
    result: { kind: 'value', spread },
    target: { at: 'most', value: TARGET_MS },
  };
  return [{ title: 'Predicted prompts, in processor time', figures: [figure] }];
};
