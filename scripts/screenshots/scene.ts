import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plant, type Tree } from '../../tests/support/plant.ts';
import { makeSession } from '../../tests/support/session-file.ts';

const PROMPT = (id: string, what: string) =>
  `# ${id}\n\nYou are **${id}**: ${what}\n\n## How you work\n\n- Read before you write, and say what you read.\n- Small steps; run what you changed.\n- Ask when a choice cannot be undone.\n`;

const AGENTS: Readonly<Record<string, readonly [what: string, skills: readonly string[]]>> = {
  archivist: ['you keep the notes in order and find them again.', ['codebase-map']],
  auditor: ['you read what others merged, and look for what they missed.', ['code-review', 'git-summary']],
  courier: ['you carry letters between the agents and file the answers.', []],
  'price-watch': ['you tell what a call costs in sats before it is made.', ['btc-price']],
  'release-manager': [
    'you cut releases and write what changed, for people.',
    ['release-notes', 'git-summary'],
  ],
  tester: ['you write tests that fail for the right reason.', ['code-review', 'codebase-map']],
  translator: ['you keep the texts of the window in five languages.', []],
};

/** The SYSTEM.md of `tester`, so that views can restore it. */
export const TESTER_PROMPT = PROMPT('tester', 'you write tests that fail for the right reason.');

const toShared = (name: string) => ({ link: `../../../shared/skills/${name}` });

const toTree = ([id, [what, skills]]: readonly [string, readonly [string, readonly string[]]]): Tree => ({
  [`agents/${id}/SYSTEM.md`]: PROMPT(id, what),
  [`agents/${id}/pi-args`]: '--thinking\nmedium\n',
  [`agents/${id}/settings.json`]: JSON.stringify({
    defaultProvider: 'anthropic',
    defaultModel: skills.length > 0 ? 'claude-sonnet-5-5' : 'claude-haiku-5-5',
  }),
  [`agents/${id}/extensions/run-finish-notify.ts`]: {
    link: '../../../shared/extensions/run-finish-notify.ts',
  },
  ...Object.fromEntries(skills.map((name) => [`agents/${id}/skills/${name}`, toShared(name)])),
});

const HOUR_MS = 60 * 60 * 1000;

/** What agents did in the last days: when, about what, with which model, and for how many dollars. */
const RUNS = [
  ['auditor', 2, 'Review the retry of failed sends', 'claude-sonnet-5-5', 0.42],
  ['auditor', 27, 'Review the price editor', 'claude-sonnet-5-5', 0.31],
  ['auditor', 51, 'Look for races in the wallet', 'claude-sonnet-5-5', 0.88],
  ['auditor', 99, 'Review the import', 'claude-haiku-5-5', 0.07],
  ['release-manager', 6, 'Write the notes of 0.1', 'gpt-5.4', 0.19],
  ['release-manager', 76, 'Collect what changed', 'gpt-5.4', 0.12],
  ['translator', 20, 'Translate the manual', 'claude-haiku-5-5', 0.64],
  ['price-watch', 1, 'Prices of the morning', 'claude-haiku-5-5', 0.01],
] as const;

/** A session of a run, in which an agent was asked for something and called a model four times. */
const sessionOf = ([id, hoursAgo, about, model, usd]: (typeof RUNS)[number]): Tree => {
  const session = makeSession({ startedAtMs: Date.now() - hoursAgo * HOUR_MS, cwd: '/home/me/work' });
  session.rename(about);
  session.say(`${about}. Say what you **read**, and what you’re unsure of.`);
  for (const share of [0.1, 0.2, 0.3, 0.4])
    session.call(
      { input: 40_000 * share, output: 3_000 * share, cacheRead: 90_000, usd: usd * share },
      { model, provider: 'cloud' },
    );
  return { [`agents/${id}/sessions/--home-me-work--/${session.fileName}`]: session.text() };
};

/** Agents that are in the trash. */
export const DELETED = ['letter-writer', 'old-notes', 'scratch', 'scratch-2', 'weather'];

/** Fills the starter root as after weeks of use: more agents, a broken link, a local skill, a bad skill. */
export const fillRoot = async (root: string): Promise<void> => {
  for (const agent of Object.entries(AGENTS)) await plant(root, toTree(agent));
  for (const run of RUNS) await plant(root, sessionOf(run));
  await plant(root, {
    'agents/auditor/pi-args': '# Reads, and changes nothing\n--thinking medium\n--tools read,grep,find\n',
    'agents/auditor/AGENT.md': '---\nmodel: local/qwen3\n---\n',
    'agents/release-manager/pi-args': '--model\ngpt-5.4\n',
    'agents/courier/workspace.conf': 'letters\nanswers\n',
    'agents/auditor/skills/threat-model': toShared('threat-model'),
    'agents/auditor/skills/house-rules/SKILL.md':
      '---\nname: house-rules\ndescription: What this house asks of a change.\n---\n',
    'agents/auditor/skills/btc-price': { link: '/srv/old-root/shared/skills/btc-price' },
    'shared/skills/weekly-report/SKILL.md': '---\nname: weekly report\ndescription: [\n---\n',
    'shared/extensions/ask-first/package.json': JSON.stringify({
      description: 'Asks before anything is removed.',
      pi: { extensions: ['./gone.ts'] },
    }),
    ...Object.fromEntries(
      DELETED.map((id) => [`agents/${id}/SYSTEM.md`, PROMPT(id, 'you were an attempt.')]),
    ),
  });
};

/** Writes a week of BTC prices in the server's format. */
export const writePriceHistory = async (
  dataDirectory: string,
  nowMs: number,
  lastUsd: number,
): Promise<void> => {
  const lines: string[] = [];
  for (let hours = 7 * 24; hours > 0; hours--) {
    const wave = Math.sin(hours / 9) * 900 + Math.sin(hours / 31) * 2_100 + Math.sin(hours * 1.7) * 160;
    const price = Math.round((lastUsd + wave * Math.min(1, hours / 12)) * 100) / 100;
    lines.push(JSON.stringify({ at: nowMs - hours * HOUR_MS, price, source: 'coinbase' }));
  }
  await writeFile(join(dataDirectory, 'btc_price_history.jsonl'), `${lines.join('\n')}\n`);
};
