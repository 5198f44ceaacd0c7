import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { plant, SMALL_ROOT, type Tree } from './plant.ts';
import { makeTempDirectory } from './temp.ts';

/** A root with a marker in every place that a reader may or may not see. */
export interface MarkedRoot {
  readonly path: string;
  /** Holds dot-mi's own data. */
  readonly dataDirectory: string;
  /** Markers that nobody but the operator may see. */
  readonly hidden: readonly string[];
  /** Markers that nobody sees, not even the operator. */
  readonly never: readonly string[];
  /** Markers that everybody sees. */
  readonly open: readonly string[];
  /** The agents whose files are links to the places of {@link LINKED}, or name them in pi-args. */
  readonly attackers: readonly string[];
}

const AGENTS = ['scout', 'rover'];
const SESSION = '11111111-2222-3333-4444-555555555555';

/** The places that links of other agents end at, relative to the root. `outside` and `own` are not in it. */
const LINKED = {
  models: 'agents/rover/models.json',
  settings: 'agents/rover/settings.json',
  mcp: 'agents/rover/mcp.json',
  auth: 'agents/rover/auth.json',
  'mcp-auth': 'agents/rover/mcp-auth.json',
  env: 'agents/rover/.env',
  backup: 'agents/rover/models.json.bak',
  log: 'agents/rover/mcp.log',
  debug: 'agents/rover/pi-debug.log',
  dotfile: 'agents/rover/.notes',
  notes: 'agents/rover/notes.txt',
  session: `agents/rover/sessions/--m-session-place--/2026-01-01T00-00-00_${SESSION}.jsonl`,
  package: 'agents/rover/npm/node_modules/m-package/skills/in/SKILL.md',
  trash: '.trash/kept/agent/SYSTEM.md',
  workspace: 'workspaces/rover/2026-01-01/notes.md',
  vendor: 'vendor/base.md',
  git: '.git/config',
} as const;

/** Which of them nobody sees. */
const LOGINS = ['auth', 'mcp-auth', 'env'];

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** Returns skill text that would be in a prompt, in a search and in a list. */
const skill = (name: string, marker: string): string =>
  `---\nname: ${name}\ndescription: ${marker}\n---\n\n${marker} body.\n`;

/** A marker: a text that no response contains by accident. `id` says where it is. */
const mark = (id: string): string => `zz-${id}-qx7`;

const agentTree = (
  id: string,
): { readonly tree: Tree; readonly hidden: string[]; readonly never: string[] } => {
  const hidden: string[] = [];
  const never: string[] = [];
  const secret = (place: string) => {
    const text = mark(`${id}-${place}`);
    hidden.push(text);
    return text;
  };
  const login = (place: string) => {
    const text = mark(`${id}-${place}`);
    never.push(text);
    return text;
  };
  const session = [
    { type: 'session', version: 3, id: SESSION, timestamp: '2026-01-01T00:00:00Z', cwd: `/${secret('cwd')}` },
    { type: 'session_info', id: 'a0', parentId: null, name: secret('session-name') },
    {
      type: 'message',
      id: 'a1',
      parentId: 'a0',
      timestamp: '2026-01-01T00:00:01Z',
      message: {
        role: 'system',
        sections: { preamble: secret('sent') },
        toolsAdded: [secret('sent-tool')],
      },
    },
    {
      type: 'message',
      id: 'a2',
      parentId: 'a1',
      timestamp: '2026-01-01T00:00:02Z',
      message: { role: 'user', content: [{ type: 'text', text: secret('first-message') }] },
    },
  ];
  const tree: Tree = {
    [`agents/${id}/settings.json`]: json({
      defaultProvider: 'local',
      defaultModel: 'small',
      theme: secret('theme'),
      shellPath: `/bin/${secret('shell')}`,
      packages: [
        `npm:m-package-${id}`,
        'npm:m-package',
        `./${secret('package-path')}`,
        { source: `npm:${secret('source')}`, skills: [secret('filter')] },
      ],
      skills: [`+skills/${secret('setting-skill')}`],
      defaultTools: ['read', secret('tool')],
      own: { deep: [secret('deep')] },
      httpIdleTimeoutMs: 4_242_421,
    }),
    [`agents/${id}/models.json`]: `{"providers": {"local": ${JSON.stringify({
      name: secret('provider-name'),
      baseUrl: `https://${secret('base-url')}.example/v1`,
      api: 'openai-completions',
      apiKey: secret('api-key'),
      headers: { 'X-Team': secret('header') },
      models: [
        { id: 'small', name: secret('model-name'), contextWindow: 4_242_422 },
        { id: secret('model-id') },
      ],
    })}}} // ${secret('comment')}\n`,
    [`agents/${id}/mcp.json`]: json({
      mcpServers: {
        docs: {
          command: secret('command'),
          args: [secret('arg')],
          cwd: `/${secret('mcp-cwd')}`,
          env: { TOKEN: secret('mcp-env') },
          description: secret('description'),
          timeout: 4_242_423,
        },
        site: { url: `https://${secret('mcp-url')}.example/mcp`, headers: { 'X-Key': secret('mcp-header') } },
      },
    }),
    [`agents/${id}/auth.json`]: json({ local: { type: 'api_key', key: login('auth') } }),
    [`agents/${id}/mcp-auth.json`]: json({ site: { token: login('mcp-auth') } }),
    [`agents/${id}/.env`]: `KEY=${login('env')}\n`,
    [`agents/${id}/models.json.bak`]: json({ key: secret('backup') }),
    [`agents/${id}/mcp.log`]: `${secret('log')}\n`,
    [`agents/${id}/pi-debug.log`]: `${secret('debug')}\n`,
    [`agents/${id}/crashes.json`]: json([secret('crash')]),
    [`agents/${id}/.notes`]: `${secret('dotfile')}\n`,
    [`agents/${id}/notes.txt`]: `${secret('notes')}\n`,
    [`agents/${id}/sessions/--m-session-place--/2026-01-01T00-00-00_${SESSION}.jsonl`]: `${session
      .map((entry) => JSON.stringify(entry))
      .join('\n')}\n`,
    [`agents/${id}/npm/node_modules/m-package/package.json`]: json({
      name: 'm-package',
      version: '1.2.3',
      description: secret('package'),
    }),
    [`agents/${id}/npm/node_modules/m-package/skills/in/SKILL.md`]: skill('in', secret('package-skill')),
    [`workspaces/${id}/2026-01-01/notes.md`]: `${secret('workspace')}\n`,
    [`workspaces/${id}/2026-01-01/AGENTS.md`]: `${secret('workspace-context')}\n`,
  };
  return { tree, hidden, never };
};

const EDITABLE = ['SYSTEM.md', 'APPEND_SYSTEM.md', 'AGENT.md', 'workspace.conf', 'AGENTS.md'];

/** Returns an agent whose files are links to a place, and shared entries that are too. */
const linkedTree = (name: string, target: string): Tree => ({
  ...Object.fromEntries(EDITABLE.map((file) => [`agents/link-${name}/${file}`, { link: target }])),
  [`agents/link-${name}/pi-args`]: { link: target },
  [`agents/link-${name}/extensions/agent-prompt.ts`]: { link: '../../../shared/extensions/say.ts' },
  [`agents/link-${name}/extensions/leak.ts`]: { link: target },
  [`agents/link-${name}/skills/leak/SKILL.md`]: { link: target },
  [`agents/link-${name}/skills/loose.md`]: { link: target },
  [`agents/link-${name}/prompts/leak.md`]: { link: target },
  [`agents/link-${name}/themes/leak.json`]: { link: target },
  [`shared/extensions/leak-${name}.ts`]: { link: target },
  [`shared/skills/leak-${name}/SKILL.md`]: { link: target },
  [`shared/prompts/leak-${name}.md`]: { link: target },
  [`shared/themes/leak-${name}.json`]: { link: target },
});

/** Returns an agent whose pi-args name a place. */
const arguedTree = (name: string, target: string): Tree => ({
  [`agents/args-${name}/SYSTEM.md`]: 'You leak.\n',
  [`agents/args-${name}/pi-args`]: [
    '--system-prompt',
    target,
    '--append-system-prompt',
    target,
    '--skill',
    target,
    '',
  ].join('\n'),
});

/** Plants a marked root. `places` limits the places that links end at; the default is all of them. */
export const makeMarkedRoot = async (places?: readonly string[]): Promise<MarkedRoot> => {
  const top = await makeTempDirectory();
  const path = join(top, 'root');
  const dataDirectory = join(top, 'data-of-dot-mi');
  const outside = join(top, 'outside');
  const own = join(dataDirectory, 'data/services/key.json');
  const agents = AGENTS.map(agentTree);
  const hidden = agents.flatMap((agent) => agent.hidden);
  const never = agents.flatMap((agent) => agent.never);
  const [trash, vendor, git, away, mine] = ['trash', 'vendor', 'git', 'outside', 'own'].map(mark) as [
    string,
    string,
    string,
    string,
    string,
  ];
  hidden.push(trash, vendor, git, away, '4242421', '4242422', '4242423');
  never.push(mine);
  await mkdir(dataDirectory, { mode: 0o700 });
  await plant(outside, { 'secret.md': skill('outside', away) });
  await plant(dataDirectory, { 'data/services/key.json': json({ key: mine }) });
  const targets = Object.entries({ ...LINKED, outside: '', own: '' }).filter(
    ([name]) => places?.includes(name) ?? true,
  );
  const placeOf = (name: string, place: string): string =>
    name === 'outside' ? join(outside, 'secret.md') : name === 'own' ? own : join(path, place);
  await plant(path, {
    ...SMALL_ROOT,
    'agents/scout/SYSTEM.md': `${mark('open-system')}\n`,
    'agents/scout/AGENTS.md': `${mark('open-context')}\n`,
    'agents/scout/skills/own/SKILL.md': skill('own', mark('open-skill')),
    'agents/rover/SYSTEM.md': 'You rove.\n',
    'agents/rover/pi-args': '',
    'shared/skills/git-summary/SKILL.md': skill('git-summary', mark('open-shared')),
    // A list shows the description of a shared entry, also if that is a link to another place.
    'vendor/base.md': `---\nname: base\ndescription: A base.\n---\n\n${vendor}\n`,
    '.git/config': `${git}\n`,
    '.trash/kept/agent/SYSTEM.md': `${trash}\n`,
    ...Object.assign({}, ...agents.map(({ tree }) => tree)),
    ...Object.assign({}, ...targets.map(([name, place]) => linkedTree(name, placeOf(name, place)))),
    ...Object.assign({}, ...targets.map(([name, place]) => arguedTree(name, placeOf(name, place)))),
  });
  return {
    path,
    dataDirectory,
    hidden,
    never,
    open: ['open-system', 'open-context', 'open-skill', 'open-shared'].map(mark),
    attackers: targets.flatMap(([name]) => [`link-${name}`, `args-${name}`]),
  };
};

/** The id of the session of each marked agent. */
export const MARKED_SESSION = SESSION;
/** The places of {@link LINKED} whose content nobody sees. */
export const MARKED_LOGINS: readonly string[] = LOGINS;
