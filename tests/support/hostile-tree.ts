import { SMALL_ROOT, type Tree } from './plant.ts';
import { makeSession } from './session-file.ts';
import { themeText } from './theme.ts';

// A root that is attacked, and a private directory of the server's user that nothing in it may show.

/** No answer may have it: it is in the texts and names of a directory outside the root. */
export const SECRET = 'zq7secret';
/** As {@link SECRET}, but an answer may describe a shared skill or extension that is linked from outside. */
export const DESCRIPTION = 'zq7described';

export const session = makeSession({ cwd: '/work' });
session.say('Hello.');
session.call({ input: 10, usd: 1 });
const goodSession = makeSession({ cwd: '/work' });
goodSession.say('Good.');
goodSession.call({ input: 5, usd: 2 });
const stolen = makeSession({ cwd: `/${SECRET}` });
stolen.rename(SECRET);
stolen.say(SECRET);
stolen.call({ input: 7_654_321 }, { provider: SECRET, model: SECRET });

const DELETED_AT = Date.now() - 60_000;
const entryName = (id: string): string => `${id}@mwwj6pp8-0123456789ab`;
const recordOf = (id: string): string =>
  JSON.stringify({ id, deletedAt: new Date(DELETED_AT).toISOString() });
const skill = (name: string, description: string, body: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
const TO_SKILL = { link: '../../../shared/skills/git-summary' };
const TO_EXTENSION = { link: '../../../shared/extensions/say.ts' };
const TO_PROMPT = { link: '../../../shared/prompts/review.md' };
const TO_THEME = { link: '../../../shared/themes/quiet.json' };

const SESSIONS = 'agents/scout/sessions/--work--';
export const SESSION_FILE = `${SESSIONS}/run.jsonl`;
export const WORKSPACE_SESSIONS = 'workspaces/scout/2026-01-01/sessions';
export const ENTRY = `.trash/${entryName('old')}`;

/** Agent `scout` and the shared entries are attacked. Everything with "good" in its name must stay visible. */
export const HOSTILE_ROOT: Tree = {
  ...SMALL_ROOT,
  'agents/good/SYSTEM.md': 'You are good.\n',
  'agents/good/pi-args': '--no-session\n',
  'agents/good/extensions/good.ts': { link: '../../../shared/extensions/good.ts' },
  'agents/good/skills/good': { link: '../../../shared/skills/good' },
  'agents/good/prompts/good.md': { link: '../../../shared/prompts/good.md' },
  'agents/good/themes/good.json': { link: '../../../shared/themes/good.json' },
  'agents/good/sessions/--work--/run.jsonl': goodSession.text(),
  'agents/scout/AGENT.md': '---\nmodel: local/agent\n---\n\nLook around.\n',
  'agents/scout/APPEND_SYSTEM.md': 'Appended.\n',
  'agents/scout/pi-args': '--append-system-prompt\nagents/scout/notes.md\n',
  'agents/scout/notes.md': 'A note.\n',
  'agents/scout/settings.json': '{"defaultProvider":"local","defaultModel":"small"}\n',
  'agents/scout/models.json': '{"providers":{"local":{"models":[{"id":"small","contextWindow":4242}]}}}\n',
  'agents/scout/mcp.json': '{"mcpServers":{"docs":{"command":"x","description":"Docs."}}}\n',
  'agents/scout/extensions/agent-prompt.ts': 'export default () => {};\n',
  'agents/scout/extensions/say.ts': TO_EXTENSION,
  'agents/scout/skills/git-summary': TO_SKILL,
  'agents/scout/skills/own/SKILL.md': skill('own', 'Its own.', 'Own body.'),
  'agents/scout/skills/.gitignore': 'none\n',
  'agents/scout/prompts/review.md': TO_PROMPT,
  'agents/scout/prompts/own.md': 'My own.\n',
  'agents/scout/prompts/.gitignore': 'none\n',
  'agents/scout/themes/quiet.json': TO_THEME,
  'agents/scout/themes/own.json': themeText('own'),
  [SESSION_FILE]: session.text(),
  // A directory that a session names can be any text.
  [`${WORKSPACE_SESSIONS}/x.jsonl`]: session.text().replace('"/work"', '"/dev/null/x"'),
  [`${WORKSPACE_SESSIONS}/y.jsonl`]: session.text().replace('"/work"', '"/proc/1/cwd/x"'),
  'workspaces/scout/AGENTS.md': 'A workspace.\n',
  'workspaces/scout/2026-01-01/.pi/settings.json': '{}\n',
  'shared/extensions/good.ts': '/** A good one. */\nexport default () => {};\n',
  'shared/extensions/pack/package.json': '{"description":"A pack.","pi":{"extensions":["index.ts"]}}\n',
  'shared/extensions/pack/index.ts': 'export default () => {};\n',
  'shared/skills/good/SKILL.md': skill('good', 'Use when all is good.', 'Good body.'),
  'shared/prompts/good.md': 'A good one.\n',
  'shared/prompts/review.md': 'Review.\n',
  'shared/themes/good.json': themeText('good'),
  'shared/themes/quiet.json': themeText('quiet'),
  'shared/presets/good.json': '{"skills":["good"],"extensions":[]}\n',
  'shared/presets/mine.json': '{"skills":["git-summary"],"extensions":[]}\n',
  'teams/all/skills/git-summary': TO_SKILL,
  'teams/good/skills/good': { link: '../../../shared/skills/good' },
  '.trash/.gitignore': '*\n',
  [`${ENTRY}/entry.json`]: recordOf('old'),
  [`${ENTRY}/agent/SYSTEM.md`]: 'old',
  [`.trash/${entryName('good')}/entry.json`]: recordOf('good'),
  [`.trash/${entryName('good')}/agent/SYSTEM.md`]: 'old',
};

const secretAgent = (directory: string): Tree => ({
  [`${directory}/SYSTEM.md`]: SECRET,
  [`${directory}/AGENT.md`]: `---\nmodel: local/${SECRET}\n---\n\n${SECRET}\n`,
  [`${directory}/APPEND_SYSTEM.md`]: SECRET,
  [`${directory}/pi-args`]: `--model\n${SECRET}\n--${SECRET}\n`,
  [`${directory}/workspace.conf`]: SECRET,
  [`${directory}/notes.md`]: SECRET,
  [`${directory}/settings.json`]: JSON.stringify({ defaultProvider: 'local', defaultModel: SECRET }),
  [`${directory}/models.json`]: JSON.stringify({ providers: { [SECRET]: { models: [{ id: SECRET }] } } }),
  [`${directory}/mcp.json`]: JSON.stringify({ mcpServers: { [SECRET]: { command: SECRET } } }),
  [`${directory}/mcp-auth.json`]: SECRET,
  [`${directory}/extensions/agent-prompt.ts`]: `/** ${SECRET} */\n`,
  [`${directory}/extensions/${SECRET}.ts`]: '',
  [`${directory}/extensions/say.ts`]: { link: `/${SECRET}` },
  [`${directory}/skills/git-summary`]: { link: `/${SECRET}` },
  [`${directory}/skills/own/SKILL.md`]: skill(SECRET, SECRET, SECRET),
  [`${directory}/skills/${SECRET}/SKILL.md`]: skill(SECRET, SECRET, SECRET),
  [`${directory}/skills/.gitignore`]: SECRET,
  [`${directory}/prompts/review.md`]: { link: `/${SECRET}` },
  [`${directory}/prompts/own.md`]: SECRET,
  [`${directory}/prompts/${SECRET}.md`]: SECRET,
  [`${directory}/prompts/.gitignore`]: SECRET,
  [`${directory}/themes/quiet.json`]: { link: `/${SECRET}` },
  [`${directory}/themes/own.json`]: themeText(SECRET),
  [`${directory}/themes/${SECRET}.json`]: themeText(SECRET),
  [`${directory}/sessions/--work--/run.jsonl`]: stolen.text(),
  [`${directory}/sessions/--work--/${stolen.fileName}`]: stolen.text(),
});

const secretEntry = (path: string): Tree => ({
  [`${path}/entry.json`]: recordOf(SECRET),
  [`${path}/agent/SYSTEM.md`]: SECRET,
});

/** A private directory with whatever the server looks for in a root, at the same paths, and what links in any place lead to. */
export const OUTSIDE: Tree = {
  ...secretAgent('agents/scout'),
  ...secretAgent(`agents/${SECRET}`),
  [`agents/${SECRET}-2/SYSTEM.md`]: SECRET,
  'setup.sh': `#!/bin/sh\n# ${SECRET}\n`,
  'shared/extensions/say.ts': `/** ${DESCRIPTION} */\n// ${SECRET}\n`,
  'shared/extensions/pack/package.json': JSON.stringify({ description: DESCRIPTION, name: SECRET }),
  'shared/extensions/pack/index.ts': `// ${SECRET}\n`,
  [`shared/extensions/${SECRET}.ts`]: `/** ${SECRET} */\n`,
  'shared/skills/git-summary/SKILL.md': skill('git-summary', DESCRIPTION, SECRET),
  [`shared/skills/${SECRET}/SKILL.md`]: skill(SECRET, SECRET, SECRET),
  'shared/prompts/review.md': `---\ndescription: ${SECRET}\n---\n${SECRET}\n`,
  [`shared/prompts/${SECRET}.md`]: SECRET,
  'shared/themes/quiet.json': themeText(SECRET),
  [`shared/themes/${SECRET}.json`]: themeText(SECRET),
  'shared/presets/mine.json': JSON.stringify({ description: SECRET, skills: [SECRET], extensions: [] }),
  [`shared/presets/${SECRET}.json`]: JSON.stringify({ skills: [SECRET], extensions: [] }),
  'teams/all/skills/git-summary': TO_SKILL,
  [`teams/${SECRET}/skills/git-summary`]: TO_SKILL,
  [`${WORKSPACE_SESSIONS}/x.jsonl`]: stolen.text(),
  'a-file': SECRET,
  'a-link': { link: 'a-file' },
  [`a-directory/${SECRET}.md`]: SECRET,
  'AGENTS.md': SECRET,
  dotpi: `#!/bin/sh\n# ${SECRET}\n`,
  'workspaces/scout/AGENTS.md': SECRET,
  'workspaces/scout/2026-01-01/AGENTS.md': SECRET,
  'workspaces/scout/2026-01-01/.pi/settings.json': `{"skills":["${SECRET}"]}`,
  [`workspaces/${SECRET}/2026-01-01/sessions/${stolen.fileName}`]: stolen.text(),
  ...secretEntry(ENTRY),
  ...secretEntry(`.trash/${entryName(SECRET)}`),
};
