import { spawn } from 'node:child_process';
import { chmod, lchown, lutimes, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { endpoints } from '../../src/shared/api/index.ts';
import { NO_OUTSIDE } from '../support/no-outside.ts';
import { noUnprivilegedUser, unprivilegedUser } from '../support/nobody.ts';
import { plant, type Tree } from '../support/plant.ts';
import { makeRoot } from '../support/root.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeSession } from '../support/session-file.ts';
import { makeTempDirectory } from '../support/temp.ts';

// Another user of the machine may write in a shared root, and swaps its directories and files for links to a private
// directory of the server's user. Every route that reads the root runs meanwhile, without a token and with a key that
// may read agents. The private directory has a marker in every name, and in every file that the server looks for.
//
// ATTACK_SECONDS=60 attacks each route for that long. ATTACK_ONLY=/api/search attacks one route.

const ATTACKER = 12_345;
const ROUNDS = 4;
const seconds = Number(process.env.ATTACK_SECONDS ?? 0);
const only = process.env.ATTACK_ONLY;

const SWAP_LINKS = fileURLToPath(new URL('../support/swap-links.ts', import.meta.url));
const WITHOUT_PROC = fileURLToPath(new URL('../support/without-proc.cjs', import.meta.url));

const MARKER = 'zq7secret';
/** When everything there was written, which nobody else may know either. */
const SECRET_TIME = '2001-02-03T04:05:06.000Z';
const SKILL = `---\nname: ${MARKER}\ndescription: ${MARKER}\n---\n\n${MARKER}\n`;

const session = makeSession({ cwd: '/work' });
session.say('Hello.');
session.call({ input: 10 });
const stolen = makeSession({ cwd: `/${MARKER}` });
stolen.rename(MARKER);
stolen.say(MARKER);
stolen.call({ input: 7_654_321 }, { provider: MARKER, model: MARKER });
const stolenText = stolen.text([
  {
    type: 'message',
    message: { role: 'system', sections: { preamble: MARKER }, toolsAdded: [{ name: MARKER }] },
    timestamp: new Date().toISOString(),
  },
  ...stolen.entries,
]);

const record = (id: string) => JSON.stringify({ id, deletedAt: new Date().toISOString() });
const PRESET = JSON.stringify({ description: MARKER, skills: [MARKER], extensions: [] });
const ENTRY = `scout@${Date.now().toString(36)}-0123456789ab`;

/** An agent's directory, with the marker everywhere. */
const secretAgent = (directory: string): Tree => ({
  ...Object.fromEntries(
    ['SYSTEM.md', 'AGENT.md', 'APPEND_SYSTEM.md', 'pi-args', 'workspace.conf', 'models.json'].map((name) => [
      `${directory}/${name}`,
      `${MARKER}\n`,
    ]),
  ),
  [`${directory}/pi-args`]: `--model\n${MARKER}\n--${MARKER}\n`,
  [`${directory}/settings.json`]: JSON.stringify({ defaultModel: MARKER, defaultProvider: MARKER }),
  [`${directory}/mcp.json`]: JSON.stringify({ mcpServers: { [MARKER]: { command: MARKER } } }),
  [`${directory}/prompts/${MARKER}.md`]: MARKER,
  [`${directory}/themes/${MARKER}.json`]: JSON.stringify({ name: MARKER }),
  [`${directory}/${MARKER}.txt`]: MARKER,
  [`${directory}/notes.md`]: MARKER,
  [`${directory}/extensions/${MARKER}.ts`]: 'export default () => {};\n',
  [`${directory}/extensions/old.ts`]: { link: `/${MARKER}` },
  [`${directory}/skills/${MARKER}/SKILL.md`]: SKILL,
  [`${directory}/skills/own/SKILL.md`]: SKILL,
  [`${directory}/skills/old`]: { link: `/${MARKER}` },
  [`${directory}/sessions/--work--/${stolen.fileName}`]: stolenText,
  [`${directory}/sessions/--work--/${session.fileName}`]: stolenText,
});

const OUTSIDE: Tree = {
  ...secretAgent('agents/scout'),
  ...secretAgent(`agents/${MARKER}`),
  [`shared/skills/${MARKER}/SKILL.md`]: SKILL,
  'shared/skills/git-summary/SKILL.md': SKILL,
  [`shared/extensions/${MARKER}.ts`]: `/** ${MARKER} */\nexport default () => {};\n`,
  'shared/extensions/say.ts': `/** ${MARKER} */\nexport default () => {};\n`,
  'shared/extensions/pack/package.json': JSON.stringify({ description: MARKER }),
  'shared/extensions/pack/index.ts': `/** ${MARKER} */\nexport default () => {};\n`,
  [`shared/prompts/${MARKER}.md`]: MARKER,
  'shared/prompts/review.md': `---\ndescription: ${MARKER}\n---\n${MARKER}\n`,
  [`shared/themes/${MARKER}.json`]: JSON.stringify({ name: MARKER }),
  'shared/themes/quiet.json': JSON.stringify({ name: MARKER }),
  'shared/presets/mine.json': PRESET,
  [`shared/presets/${MARKER}.json`]: PRESET,
  [`teams/${MARKER}/skills/git-summary`]: { link: '../../../shared/skills/git-summary' },
  [`workspaces/scout/2026-01-01/sessions/${stolen.fileName}`]: stolenText,
  [`workspaces/${MARKER}/2026-01-01/sessions/${stolen.fileName}`]: stolenText,
  [`.trash/${MARKER}@${Date.now().toString(36)}-0123456789ab/entry.json`]: record(MARKER),
  [`.trash/${MARKER}@${Date.now().toString(36)}-0123456789ab/agent/SYSTEM.md`]: MARKER,
  [`.trash/${ENTRY}/entry.json`]: record(MARKER),
  [`.trash/${ENTRY}/agent/SYSTEM.md`]: MARKER,
};

const ROOT: Tree = {
  'agents/scout/AGENT.md': '---\ndescription: Looks around.\n---\n\nLook around.\n',
  'agents/scout/notes.md': 'A note.\n',
  'agents/scout/pi-args': '--append-system-prompt\nagents/scout/notes.md\n',
  'agents/scout/settings.json': '{"packages":["npm:tools"]}\n',
  'agents/scout/npm/node_modules/tools/package.json': '{"version":"1.0.0"}\n',
  'agents/scout/npm/node_modules/tools/skills/own/SKILL.md': '---\ndescription: Own.\n---\n',
  'agents/scout/mcp.json': '{"mcpServers":{"docs":{"command":"npx"}}}\n',
  'agents/scout/prompts/review.md': { link: '../../../shared/prompts/review.md' },
  'agents/scout/themes/quiet.json': { link: '../../../shared/themes/quiet.json' },
  'shared/prompts/review.md': '---\ndescription: Review.\n---\nReview $1.\n',
  'shared/themes/quiet.json': '{ "name": "quiet" }\n',
  'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
  'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
  'agents/scout/skills/own/SKILL.md': '---\nname: own\ndescription: Its own.\n---\n\nBody.\n',
  [`agents/scout/sessions/--work--/${session.fileName}`]: session.text(),
  'shared/extensions/pack/package.json': JSON.stringify({ description: 'A pack.' }),
  'shared/extensions/pack/index.ts': 'export default () => {};\n',
  'shared/presets/mine.json': JSON.stringify({ skills: ['git-summary'], extensions: [] }),
  'teams/all/skills/git-summary': { link: '../../../shared/skills/git-summary' },
  'workspaces/scout/2026-01-01/sessions/x.jsonl': session.text(),
  '.trash/.gitignore': '*\n',
  [`.trash/${ENTRY}/entry.json`]: record('scout'),
  [`.trash/${ENTRY}/agent/SYSTEM.md`]: 'old',
};

const AGENT = ['agents/scout', 'agents'];
const LINKS = ['agents/scout/skills', 'agents/scout/extensions', ...AGENT];
const SHARED = ['shared/skills', 'shared/extensions', 'shared'];
/** The directories of prompt templates and themes. */
const TEMPLATES = ['agents/scout/prompts', 'agents/scout/themes', ...AGENT];
const SHARED_TEMPLATES = ['shared/prompts', 'shared/themes', 'shared'];

const SESSIONS = [
  'agents/scout/sessions/--work--',
  'agents/scout/sessions',
  'workspaces/scout/2026-01-01/sessions',
  'workspaces/scout',
  'workspaces',
  `agents/scout/sessions/--work--/${session.fileName}`,
  ...AGENT,
];

/** What the attacker swaps while a route runs, in turn. */
const ATTACKS: Readonly<
  Record<string, { readonly calls: readonly string[]; readonly paths: readonly string[] }>
> = {
  '/api/agents': { calls: ['/api/agents'], paths: AGENT },
  '/api/agents/:id': { calls: ['/api/agents/scout'], paths: ['agents/scout/SYSTEM.md', ...AGENT] },
  '/api/agents/:id/run-command': {
    calls: ['/api/agents/scout/run-command'],
    paths: ['agents/scout/pi-args', ...AGENT],
  },
  '/api/profiles': { calls: ['/api/profiles'], paths: ['agents/scout/settings.json', ...AGENT] },
  '/api/agents/:id/prompt': {
    calls: ['/api/agents/scout/prompt', '/api/agents/scout/prompt?piVersion=1.5'],
    paths: ['agents/scout/notes.md', 'agents/scout/skills', 'agents/scout/sessions', ...AGENT],
  },
  '/api/agents/:id/entries': { calls: ['/api/agents/scout/entries'], paths: AGENT },
  '/api/agents/:id/cost': {
    calls: ['/api/agents/scout/cost'],
    paths: ['agents/scout/settings.json', ...AGENT],
  },
  '/api/readiness': { calls: ['/api/readiness'], paths: ['agents/scout/settings.json', ...AGENT] },
  '/api/agents/:id/readiness': {
    calls: ['/api/agents/scout/readiness'],
    paths: ['agents/scout/settings.json', 'agents/scout/skills/own', ...LINKS, ...SHARED],
  },
  '/api/mcp': { calls: ['/api/mcp'], paths: ['agents/scout/mcp.json', ...AGENT] },
  '/api/agents/:id/mcp': { calls: ['/api/agents/scout/mcp'], paths: ['agents/scout/mcp.json', ...AGENT] },
  '/api/catalog/prompts': {
    calls: ['/api/catalog/prompts'],
    paths: ['shared/prompts/review.md', ...SHARED_TEMPLATES],
  },
  '/api/catalog/themes': {
    calls: ['/api/catalog/themes'],
    paths: ['shared/themes/quiet.json', ...SHARED_TEMPLATES],
  },
  '/api/catalog/prompts/:name/text': {
    calls: ['/api/catalog/prompts/review.md/text', '/api/catalog/prompts/review.md/text?agent=scout'],
    paths: ['shared/prompts/review.md', ...TEMPLATES, ...SHARED_TEMPLATES],
  },
  '/api/catalog/themes/:name/text': {
    calls: ['/api/catalog/themes/quiet.json/text', '/api/catalog/themes/quiet.json/text?agent=scout'],
    paths: ['shared/themes/quiet.json', ...TEMPLATES, ...SHARED_TEMPLATES],
  },
  '/api/catalog/prompts/usage': {
    calls: ['/api/catalog/prompts/usage'],
    paths: [...TEMPLATES, ...SHARED_TEMPLATES],
  },
  '/api/catalog/themes/usage': {
    calls: ['/api/catalog/themes/usage'],
    paths: [...TEMPLATES, ...SHARED_TEMPLATES],
  },
  '/api/agents/:id/links/prompts': {
    calls: ['/api/agents/scout/links/prompts'],
    paths: [...TEMPLATES, ...SHARED_TEMPLATES],
  },
  '/api/agents/:id/links/themes': {
    calls: ['/api/agents/scout/links/themes'],
    paths: [...TEMPLATES, ...SHARED_TEMPLATES],
  },
  '/api/agents/:id/json/:file': {
    calls: ['/api/agents/scout/json/models.json', '/api/agents/scout/json/settings.json'],
    paths: ['agents/scout/models.json', 'agents/scout/settings.json', ...AGENT],
  },
  '/api/agents/:id/models': {
    calls: ['/api/agents/scout/models'],
    paths: ['agents/scout/models.json', ...AGENT],
  },
  '/api/agents/:id/packages': {
    calls: ['/api/agents/scout/packages'],
    paths: [
      'agents/scout/settings.json',
      'agents/scout/npm',
      'agents/scout/npm/node_modules',
      'agents/scout/npm/node_modules/tools',
      'agents/scout/npm/node_modules/tools/package.json',
      'agents/scout/npm/node_modules/tools/skills',
      ...AGENT,
    ],
  },
  '/api/agents/:id/settings': {
    calls: ['/api/agents/scout/settings'],
    paths: ['agents/scout/settings.json', ...AGENT],
  },
  '/api/agents/:id/file': {
    calls: ['SYSTEM.md', 'AGENT.md', 'pi-args'].map((name) => `/api/agents/scout/file?path=${name}`),
    paths: ['agents/scout/SYSTEM.md', ...AGENT],
  },
  '/api/catalog/extensions': {
    calls: ['/api/catalog/extensions'],
    paths: ['shared/extensions/say.ts', 'shared/extensions/pack/index.ts', ...SHARED],
  },
  '/api/catalog/skills': {
    calls: ['/api/catalog/skills'],
    paths: ['shared/skills/git-summary/SKILL.md', ...SHARED],
  },
  '/api/catalog/skills/:name/text': {
    calls: [
      '/api/catalog/skills/git-summary/text',
      '/api/catalog/skills/git-summary/text?agent=scout',
      '/api/catalog/skills/own/text?agent=scout',
    ],
    paths: [
      'shared/skills/git-summary/SKILL.md',
      'shared/skills/git-summary',
      'agents/scout/skills/own',
      ...LINKS,
      ...SHARED,
    ],
  },
  '/api/catalog/extensions/usage': { calls: ['/api/catalog/extensions/usage'], paths: [...LINKS, ...SHARED] },
  '/api/catalog/skills/usage': {
    calls: ['/api/catalog/skills/usage'],
    paths: ['teams/all', 'teams', ...LINKS, ...SHARED],
  },
  '/api/checks': { calls: ['/api/checks'], paths: [...LINKS, ...SHARED] },
  '/api/agents/:id/checks': {
    calls: ['/api/agents/scout/checks'],
    paths: ['agents/scout/pi-args', 'agents/scout/skills/own', ...LINKS, ...SHARED],
  },
  '/api/catalog/skills/:name/checks': {
    calls: ['/api/catalog/skills/git-summary/checks'],
    paths: ['shared/skills/git-summary/SKILL.md', ...SHARED],
  },
  '/api/links': { calls: ['/api/links'], paths: [...LINKS, ...SHARED] },
  '/api/links/matrix': {
    calls: ['/api/links/matrix?kind=skills', '/api/links/matrix?kind=extensions'],
    paths: ['agents/scout/skills/own', ...LINKS, ...SHARED],
  },
  '/api/agents/:id/links/extensions': {
    calls: ['/api/agents/scout/links/extensions'],
    paths: [...LINKS, ...SHARED],
  },
  '/api/agents/:id/links/skills': { calls: ['/api/agents/scout/links/skills'], paths: [...LINKS, ...SHARED] },
  '/api/presets': {
    calls: ['/api/presets'],
    paths: ['shared/presets/mine.json', 'shared/presets', 'shared'],
  },
  '/api/presets/:name': {
    calls: ['/api/presets/mine'],
    paths: ['shared/presets/mine.json', 'shared/presets', 'shared'],
  },
  '/api/search': {
    calls: ['o', 'look', MARKER.slice(0, 4)].map((text) => `/api/search?q=${text}`),
    paths: ['agents/scout/SYSTEM.md', ...AGENT],
  },
  '/api/budgets': { calls: ['/api/budgets'], paths: SESSIONS },
  '/api/agents/:id/budget': { calls: ['/api/agents/scout/budget'], paths: SESSIONS },
  '/api/usage': { calls: ['/api/usage?groupBy=model', '/api/usage'], paths: SESSIONS },
  '/api/usage/last-runs': { calls: ['/api/usage/last-runs'], paths: SESSIONS },
  '/api/agents/:id/sessions': { calls: ['/api/agents/scout/sessions'], paths: SESSIONS },
  '/api/sessions/:session': {
    calls: [`/api/sessions/${session.id}`, `/api/sessions/${session.id}?agent=scout`],
    paths: SESSIONS,
  },
  '/api/trash': { calls: ['/api/trash'], paths: [`.trash/${ENTRY}/entry.json`, `.trash/${ENTRY}`, '.trash'] },
};

/** Routes that read no file of the root, or only answer the operator. */
const OTHERS = [
  '/api',
  '/api/health',
  '/api/openapi.json',
  '/api/keys/own',
  '/api/status',
  // Open while all others are attacked.
  '/api/events',
];

/** The path of each route that somebody who isn't the operator may use to read agents. */
const readingRoutes = (): string[] =>
  endpoints
    .filter(
      ({ method, access, keys }) =>
        method === 'GET' && access !== 'operator' && keys?.includes('read-agents'),
    )
    .map(({ path }) => path);

test('every route that a key with read-agents may read is attacked', () => {
  const known = [...Object.keys(ATTACKS), ...OTHERS];
  expect(readingRoutes().filter((path) => !known.includes(path))).toEqual([]);
});

/** A directory and all below it. No link is followed. */
const everythingIn = async (directory: string): Promise<string[]> => {
  const entries = await readdir(directory, { withFileTypes: true });
  const below = entries.map((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? everythingIn(path) : [path];
  });
  return [directory, ...(await Promise.all(below)).flat()];
};

/** Starts the server as one user, and gives the root to another. */
const serveAttacked = async (environment: Record<string, string>) => {
  const outside = join(await makeTempDirectory(), 'private');
  await plant(outside, OUTSIDE);
  const root = await makeRoot(ROOT);
  const data = await makeTempDirectory();
  for (const directory of [dirname(outside), dirname(root)]) await chmod(directory, 0o755);
  for (const path of await everythingIn(outside))
    await lutimes(path, new Date(SECRET_TIME), new Date(SECRET_TIME));
  for (const path of [...(await everythingIn(outside)), data])
    await lchown(path, unprivilegedUser ?? -1, unprivilegedUser ?? -1);
  // Only the server's user may read it.
  await chmod(outside, 0o700);
  for (const path of await everythingIn(root)) await lchown(path, ATTACKER, ATTACKER);
  const { url } = await startServerProcess({ DOT_MI_ROOT: root, ...environment }, data, unprivilegedUser);
  const token = (await readFile(join(data, 'data/wallet/operator-token'), 'utf8')).trim();
  const created = await fetch(`${url}/api/keys`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ label: 'Reader', scopes: ['read-agents'] }),
  });
  const { key } = (await created.json()) as { key: string };
  expect(key).toMatch(/^dmk_/);
  const list = join(await makeTempDirectory(), 'paths');
  await chmod(dirname(list), 0o755);
  /** Writes it in one step, because the attacker reads it all the time. */
  const writeList = async (paths: readonly string[]) => {
    await writeFile(`${list}.new`, paths.join('\n'));
    await rename(`${list}.new`, list);
  };
  await writeList([]);
  const attacker = spawn(process.execPath, [SWAP_LINKS, root, outside, `@${list}`], {
    uid: ATTACKER,
    gid: ATTACKER,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void attacker.kill('SIGKILL'));
  const reply = () => new Promise((resolve) => attacker.stdout.once('data', resolve));
  await reply();
  const attack = async (paths: readonly string[]) => {
    const [begun] = await Promise.all([reply(), writeList(paths)]);
    expect(String(begun)).toBe('attacking\n');
    return async () => {
      await Promise.all([reply(), writeList([])]);
      await repair();
    };
  };
  /** The server may have got in the way of putting something back. */
  const repair = async () => {
    for (const path of await everythingIn(root)) {
      if (!path.endsWith('.real')) continue;
      const place = path.slice(0, -'.real'.length);
      await rm(place, { force: true });
      await rename(path, place);
    }
    // Where the root has nothing, the attacker's link has nothing to put back.
    for (const path of await everythingIn(root))
      if ((await readlink(path).catch(() => '')).startsWith(outside)) await rm(path);
  };
  const get = async (path: string, as: 'nobody' | 'key') => {
    // Only the operator reads transcripts and the trash. Nothing outside is in them either.
    const bearer = /sessions|trash/.test(path) ? token : as === 'key' ? key : undefined;
    const response = await fetch(`${url}${path}`, {
      headers: bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` },
    });
    return { status: response.status, text: `${[...response.headers].join('\n')}\n${await response.text()}` };
  };
  /** Opens the event stream. Returns a function that closes it and returns what was sent. */
  const listen = async () => {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const headers = { Authorization: `Bearer ${key}` };
    const { body } = await fetch(`${url}/api/events`, { headers, signal: stop.signal });
    let sent = '';
    const reading = (async () => {
      for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) sent += text;
    })().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    return async () => {
      stop.abort();
      await reading;
      return sent;
    };
  };
  return { attack, get, listen };
};

for (const [how, environment, tags] of [
  ['as this system opens files', {}, []],
  ['without /proc', { NODE_OPTIONS: `${NO_OUTSIDE.NODE_OPTIONS} --require ${WITHOUT_PROC}` }, ['slow']],
] as const) {
  test(`no route reads anything outside the root while its directories are swapped for links, ${how}`, {
    tags: [...tags],
    timeout: 600_000 + Object.keys(ATTACKS).length * seconds * 1_100,
  }, async ({ skip }) => {
    const why = process.getuid?.() === 0 ? noUnprivilegedUser() : 'a second user needs root';
    skip(why !== undefined, why);
    const { attack, get, listen } = await serveAttacked(environment);
    const endOfEvents = await listen();
    /** How often a route leaked, and where first. */
    const leaks = new Map<string, { times: number; first: string }>();
    const lookFor = (route: string, text: string) => {
      const at = Math.max(text.indexOf(MARKER), text.indexOf(SECRET_TIME));
      if (at < 0) return;
      const known = leaks.get(route) ?? { times: 0, first: text.slice(Math.max(0, at - 60), at + 20) };
      leaks.set(route, { ...known, times: known.times + 1 });
    };
    const refused: string[] = [];
    /** Routes that answered 500. A file that somebody moves away is no error inside dot-mi. */
    const broken = new Set<string>();
    for (const [route, { calls, paths }] of Object.entries(ATTACKS)) {
      if (only !== undefined && only !== route) continue;
      const stop = await attack(paths);
      const statuses: Record<number, number> = {};
      const began = performance.now();
      for (let round = 0; round < ROUNDS || performance.now() - began < seconds * 1_000; round++) {
        const answers = await Promise.all(
          calls.flatMap((call) => (['nobody', 'key'] as const).map((as) => get(call, as))),
        );
        for (const { status, text } of answers) {
          statuses[status] = (statuses[status] ?? 0) + 1;
          if (status === 500) broken.add(route);
          lookFor(route, text);
        }
      }
      await stop();
      if (seconds > 0) process.stdout.write(`${route} ${JSON.stringify(statuses)}\n`);
      // Without the attacker everything works again, so nothing false was kept.
      for (const call of calls) {
        const { status, text } = await get(call, 'key');
        if (status !== 200) refused.push(`${call}: ${status} ${text.slice(-200)}`);
        lookFor(`${route}, afterwards`, text);
      }
    }
    const events = await endOfEvents();
    // Not every attack swaps what an agent's events are about.
    if (only === undefined) expect(events).toContain('event: agents');
    lookFor('/api/events', events);
    // The messages name what is wrong, also where only the first line of a failure is kept.
    const leaked = [...leaks].map(([route, { times, first }]) => `${route} ${times}: ${first}`);
    expect(leaked, `leaked: ${leaked.join(', ')}`).toEqual([]);
    expect(refused, `refused afterwards: ${refused.join(', ')}`).toEqual([]);
    expect([...broken], `500 from ${[...broken].join(', ')}`).toEqual([]);
  });
}
