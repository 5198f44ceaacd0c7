import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plant, type Tree } from '../../tests/support/plant.ts';
import { makeSession } from '../../tests/support/session-file.ts';

/** A prompt whose first sentence is short enough for a row of the overview. */
const PROMPT = (id: string, task: string) => `# ${id}

You are **${id}**. ${task}

## How you work

- Read the code before you change it, and name the files you read.
- Make small changes. Run the tests after each one.
- Ask before you do anything that can’t be undone.
`;

const AGENTS: Readonly<Record<string, readonly [task: string, skills: readonly string[]]>> = {
  archivist: ['Keep notes in order.', ['codebase-map']],
  auditor: ['Find missed bugs.', ['code-review', 'git-summary']],
  estimator: ['Quote each job in sats.', ['btc-price', 'dot-mi']],
  publisher: ['Write release notes.', ['release-notes', 'git-summary']],
  support: ['Draft replies to customers.', []],
  tester: ['Write tests that fail first.', ['code-review', 'codebase-map']],
  translator: ['Translate the docs.', []],
};

/** Shorter prompts for the agents of the starter root, as their owner might write. */
const EDITED: Readonly<Record<string, string>> = {
  scout: 'Answer code questions.',
  writer: 'Write guides and reports.',
};

const toShared = (name: string) => ({ link: `../../../shared/skills/${name}` });

const toTree = ([id, [task, skills]]: readonly [string, readonly [string, readonly string[]]]): Tree => ({
  [`agents/${id}/SYSTEM.md`]: PROMPT(id, task),
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
  ['auditor', 2, 'Review the retry logic for failed sends', 'claude-sonnet-5-5', 0.42],
  ['auditor', 27, 'Review the price editor', 'claude-sonnet-5-5', 0.31],
  ['auditor', 51, 'Look for races in the wallet', 'claude-sonnet-5-5', 0.88],
  ['auditor', 99, 'Review the CSV import', 'claude-haiku-5-5', 0.07],
  ['estimator', 1, 'Quote the database migration', 'claude-haiku-5-5', 0.01],
  ['publisher', 6, 'Write the notes for 0.1', 'gpt-5.4', 0.19],
  ['publisher', 76, 'Collect the changes since 0.0.9', 'gpt-5.4', 0.12],
  ['scout', 3, 'Explain how sign-in works', 'claude-sonnet-5-5', 0.12],
  ['support', 5, 'Answer this morning’s tickets', 'claude-haiku-5-5', 0.05],
  ['tester', 30, 'Cover the retry logic', 'claude-sonnet-5-5', 0.23],
  ['translator', 20, 'Translate the manual into German', 'claude-haiku-5-5', 0.64],
  ['writer', 52, 'Draft the setup guide', 'claude-sonnet-5-5', 0.35],
] as const;

/** The session of a run, with one request and four calls of a model. */
const sessionOf = ([id, hoursAgo, about, model, usd]: (typeof RUNS)[number]): Tree => {
  const session = makeSession({ startedAtMs: Date.now() - hoursAgo * HOUR_MS, cwd: '/home/me/work' });
  session.rename(about);
  session.say(`${about}. List the files you **read**, and say what you aren’t sure about.`);
  for (const share of [0.1, 0.2, 0.3, 0.4])
    session.call(
      { input: 40_000 * share, output: 3_000 * share, cacheRead: 90_000, usd: usd * share },
      { model, provider: 'cloud' },
    );
  return { [`agents/${id}/sessions/--home-me-work--/${session.fileName}`]: session.text() };
};

/** Fills the starter root as after weeks of use: more agents, a broken link, a local skill, a bad skill. */
export const fillRoot = async (root: string): Promise<void> => {
  for (const agent of Object.entries(AGENTS)) await plant(root, toTree(agent));
  for (const run of RUNS) await plant(root, sessionOf(run));
  for (const [id, task] of Object.entries(EDITED))
    await plant(root, { [`agents/${id}/SYSTEM.md`]: PROMPT(id, task) });
  await plant(root, {
    'agents/auditor/pi-args': '# Read-only tools\n--thinking medium\n--tools read,grep,find\n',
    'agents/auditor/AGENT.md': '---\nmodel: local/qwen3\n---\n',
    'agents/publisher/pi-args': '--model\ngpt-5.4\n',
    'agents/support/workspace.conf': 'tickets\nreplies\n',
    'agents/auditor/skills/threat-model': toShared('threat-model'),
    'agents/auditor/skills/house-rules/SKILL.md':
      '---\nname: house-rules\ndescription: Our rules for every pull request.\n---\n',
    'agents/auditor/skills/btc-price': { link: '/srv/old-root/shared/skills/btc-price' },
    'shared/skills/weekly-report/SKILL.md': '---\nname: weekly report\ndescription: [\n---\n',
    'shared/extensions/ask-first/package.json': JSON.stringify({
      description: 'Asks before it deletes a file.',
      pi: { extensions: ['./gone.ts'] },
    }),
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
