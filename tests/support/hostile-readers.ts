import { LINK_KINDS } from '../../src/shared/api/names.ts';
import { ENTRY, SESSION_FILE, session, WORKSPACE_SESSIONS } from './hostile-tree.ts';

// Everything that reads a root, and where it reads.

// biome-ignore-start lint/suspicious/noExplicitAny: any answer

/** A request that reads the root, and where. */
export interface Reader {
  /** Begins a sentence. */
  readonly name: string;
  /** The path and query of the request. `ROOT` stands for the path of the root. */
  readonly path: string;
  /** Whether only the operator may ask. */
  readonly isOperator?: boolean;
  /** Whether the answer may come before everything is read, and then says so. */
  readonly takesTime?: boolean;
  /** The files that it may read, relative to the root. One that isn't there can be put there. */
  readonly files: readonly string[];
  readonly directories: readonly string[];
  /** Of an answer: what it says about the agent and the entries that are attacked at a place, in a few words. */
  readonly told: (body: any, place: string) => string;
  /** Of an answer: what it says about everything else. */
  readonly good?: (body: any) => unknown;
  /** The operator chose the links in the place of these files. */
  readonly followsLinks?: boolean;
}

const find = (list: any[], name: string, key = 'name') => list.find((one) => one[key] === name);
const words = (...parts: unknown[]): string =>
  parts.filter((part) => part !== undefined && part !== false && part !== '').join(', ') || 'nothing';
const rulesOf = (entry: any): string =>
  entry ? words('listed', ...entry.diagnostics.map(({ rule }: any) => rule)) : 'absent';
const problemOf = (entry: any): string => (entry ? words('listed', entry.problem?.code) : 'absent');

const EDITABLE = ['pi-args', 'SYSTEM.md', 'APPEND_SYSTEM.md', 'AGENT.md', 'workspace.conf'];
const AGENT = 'agents/scout';
const ofAgent = (...names: string[]): string[] => names.map((name) => `${AGENT}/${name}`);
const AGENT_FOLDERS = ['agents', AGENT];
const SHARED_SKILLS = ['shared', 'shared/skills', 'shared/skills/git-summary'];
const SHARED_EXTENSIONS = ['shared', 'shared/extensions', 'shared/extensions/pack'];
const SKILL_FILE = 'shared/skills/git-summary/SKILL.md';
const EXTENSION_FILES = [
  'shared/extensions/say.ts',
  'shared/extensions/pack/package.json',
  'shared/extensions/pack/index.ts',
];
const OWN_SKILL_FILE = `${AGENT}/skills/own/SKILL.md`;
const AGENT_SKILLS = ofAgent('skills', 'skills/own');
const PRESETS = ['shared', 'shared/presets'];
const SESSION_FOLDERS = [
  ...AGENT_FOLDERS,
  ...ofAgent('sessions', 'sessions/--work--'),
  'workspaces',
  'workspaces/scout',
  WORKSPACE_SESSIONS,
];
const SESSION_FILES = [SESSION_FILE, `${WORKSPACE_SESSIONS}/x.jsonl`, `${AGENT}/settings.json`];

/** Directories with entries that are good. Without them, those aren't found. */
export const ABOVE_GOOD: readonly string[] = [
  'agents',
  'shared',
  'shared/skills',
  'shared/extensions',
  'shared/prompts',
  'shared/themes',
  'shared/presets',
  'teams',
  '.trash',
];

/** Shared entries whose description is shown even if they are linked from elsewhere. */
export const DESCRIBED: readonly string[] = ['shared/skills/git-summary', 'shared/extensions/pack'];

/** The kinds whose entries are files: an attacked one, one of scout's own, and a good one. */
const FILE_KINDS = [
  { kind: 'prompts', entry: 'review.md', own: 'own.md', good: 'good.md' },
  { kind: 'themes', entry: 'quiet.json', own: 'own.json', good: 'good.json' },
] as const;

const [PROMPTS, THEMES] = FILE_KINDS;
const ENTRIES = {
  extensions: { entry: 'say.ts', good: 'good.ts' },
  skills: { entry: 'git-summary', good: 'good' },
  prompts: PROMPTS,
  themes: THEMES,
};
const AGENT_FILES = ofAgent(
  ...FILE_KINDS.flatMap(({ kind, entry, own }) => [`${kind}/${entry}`, `${kind}/${own}`]),
);
const SHARED_FILES = FILE_KINDS.map(({ kind, entry }) => `shared/${kind}/${entry}`);

/** Everything that reads the root. */
export const READERS: readonly Reader[] = [
  {
    name: 'the list of agents',
    path: '/api/agents',
    files: ofAgent('SYSTEM.md', 'workspace.conf'),
    directories: AGENT_FOLDERS,
    told: ({ agents, hidden = [] }) => {
      const agent = find(agents, 'scout', 'id');
      return words(
        problemOf(agent),
        agent?.workspace && 'workspace',
        agent?.missingFiles && 'no SYSTEM.md',
        find(hidden, 'scout')?.problem.code,
      );
    },
    good: ({ agents }) => find(agents, 'good', 'id'),
  },
  {
    name: 'an agent',
    path: '/api/agents/scout',
    files: ofAgent(...EDITABLE),
    directories: AGENT_FOLDERS,
    told: ({ files }, place) => {
      const { exists, size } = files[place.slice(AGENT.length + 1)] ?? {};
      return words(exists ? 'exists' : 'missing', size !== null && 'size');
    },
    good: ({ path }) => path,
  },
  ...EDITABLE.map(
    (name, at): Reader => ({
      name: `the file ${name}`,
      path: `/api/agents/scout/file?path=${name}`,
      files: ofAgent(name),
      directories: at === 0 ? AGENT_FOLDERS : [],
      told: ({ missing }) => (missing ? 'missing' : 'text'),
    }),
  ),
  {
    name: 'the run command',
    path: '/api/agents/scout/run-command',
    files: ofAgent('pi-args', 'workspace.conf'),
    directories: AGENT_FOLDERS,
    told: ({ argv, cwd }) => words(`${argv.length} words`, cwd !== null && 'workspace'),
  },
  {
    name: 'the list of profiles',
    path: '/api/profiles',
    files: ofAgent('SYSTEM.md', 'AGENT.md', 'pi-args', 'settings.json', 'extensions/agent-prompt.ts'),
    directories: [...AGENT_FOLDERS, ...ofAgent('extensions')],
    told: ({ agents }) => {
      const profile = find(agents, 'scout', 'id');
      return words(profile?.firstLine, profile?.model?.name);
    },
    good: ({ agents }) => find(agents, 'good', 'id'),
  },
  {
    name: 'the entries of an agent',
    path: '/api/agents/scout/entries',
    files: ofAgent('notes.md'),
    directories: [...AGENT_FOLDERS, ...ofAgent('skills')],
    told: ({ entries }, place) => {
      const entry = find(entries, place.endsWith('skills') ? 'skills' : 'notes.md');
      const { kind, isOutside, broken, size, problem } = entry ?? {};
      return words(kind, isOutside && 'outside', broken && 'broken', size, problem?.code);
    },
    good: ({ entries }) => find(entries, 'models.json'),
  },
  {
    name: 'the MCP servers of an agent',
    path: '/api/agents/scout/mcp',
    files: ofAgent('mcp.json'),
    directories: AGENT_FOLDERS,
    told: ({ servers, exists, problem, hasSignIns }) =>
      words(exists && 'exists', ...servers.map(({ name }: any) => name), problem, hasSignIns && 'signed in'),
  },
  {
    name: 'the MCP servers of all agents',
    path: '/api/mcp',
    files: ofAgent('mcp.json'),
    directories: AGENT_FOLDERS,
    told: ({ servers, agents }) => {
      const row = find(agents, 'scout', 'id');
      return row ? words(...servers.map(({ name }: any) => name), row.problem?.message) : 'absent';
    },
  },
  {
    name: 'the pi settings of an agent',
    path: '/api/agents/scout/settings',
    files: ofAgent('settings.json'),
    directories: AGENT_FOLDERS,
    told: ({ settings, exists, problem }) =>
      words(
        exists && 'exists',
        ...settings.flatMap(({ path, value }: any) => (value === undefined ? [] : [path.join('.')])),
        problem,
      ),
  },
  {
    name: 'the models of an agent',
    path: '/api/agents/scout/models',
    files: ofAgent('models.json'),
    directories: AGENT_FOLDERS,
    told: ({ providers, exists, problem }) =>
      words(exists && 'exists', ...providers.map(({ id }: any) => id), problem),
  },
  ...['mcp.json', 'models.json', 'settings.json'].map(
    (file): Reader => ({
      name: `the JSON of ${file}`,
      path: `/api/agents/scout/json/${file}`,
      files: ofAgent(file),
      directories: file === 'mcp.json' ? AGENT_FOLDERS : [],
      told: ({ text, exists, problems }) =>
        words(exists && 'exists', text !== null && 'text', problems[0]?.message),
    }),
  ),
  {
    name: 'the pi packages of an agent',
    path: '/api/agents/scout/packages',
    files: ofAgent('settings.json'),
    directories: AGENT_FOLDERS,
    told: ({ packages, exists, problem }) =>
      words(exists && 'exists', ...packages.map(({ source }: any) => source), problem),
  },
  {
    name: 'the predicted prompt',
    path: '/api/agents/scout/prompt',
    files: [
      ...ofAgent('SYSTEM.md', 'AGENT.md', 'pi-args', 'notes.md', 'settings.json', 'mcp.json'),
      ...ofAgent('skills/.gitignore', 'extensions/agent-prompt.ts'),
      OWN_SKILL_FILE,
      SKILL_FILE,
      SESSION_FILE,
      'AGENTS.md',
    ],
    directories: [...AGENT_FOLDERS, ...AGENT_SKILLS, ...ofAgent('extensions', 'sessions'), ...SHARED_SKILLS],
    told: ({ complete, unreadable, text }) =>
      words(
        complete && 'complete',
        unreadable.length > 0 && `${unreadable.length} unreadable`,
        text.includes('You are a scout') && 'SYSTEM.md',
        text.includes('A note') && 'notes.md',
        text.includes('mcp__docs') && 'MCP server',
        text.includes('Its own') && 'own skill',
        text.includes('Summarise a branch') && 'shared skill',
      ),
  },
  {
    name: 'the predicted prompt in a workspace',
    path: '/api/agents/scout/prompt?cwd=ROOT/workspaces/scout/2026-01-01&trusted=true',
    files: ['workspaces/scout/AGENTS.md', 'workspaces/scout/2026-01-01/.pi/settings.json'],
    directories: ['workspaces', 'workspaces/scout', 'workspaces/scout/2026-01-01'],
    told: ({ complete, unreadable }) =>
      words(complete && 'complete', unreadable.length > 0 && `${unreadable.length} unreadable`),
  },
  {
    name: 'the operator’s predicted prompt',
    path: '/api/agents/scout/prompt',
    isOperator: true,
    followsLinks: true,
    files: [SESSION_FILE, `${AGENT}/SYSTEM.md`],
    directories: [...AGENT_FOLDERS, ...ofAgent('sessions'), 'workspaces'],
    told: ({ unreadable, text }) =>
      words(
        unreadable.length > 0 && `${unreadable.length} unreadable`,
        text.includes('You are a scout') && 'SYSTEM.md',
        text.includes('A note') && 'notes.md',
      ),
  },
  {
    name: 'the cost of an agent',
    path: '/api/agents/scout/cost',
    files: ofAgent('SYSTEM.md', 'AGENT.md', 'pi-args', 'settings.json'),
    directories: AGENT_FOLDERS,
    told: ({ complete, model }) => words(complete && 'complete', model?.name),
  },
  {
    name: 'the search',
    path: '/api/search?q=e',
    files: ofAgent(...EDITABLE),
    directories: AGENT_FOLDERS,
    told: ({ matches, unreadable }) =>
      words(
        ...matches.filter(({ agent }: any) => agent === 'scout').map(({ file }: any) => file),
        ...unreadable.map(({ file, problem }: any) => `${file}: ${problem}`),
      ),
    good: ({ matches }) => find(matches, 'good', 'agent'),
  },
  {
    name: 'the catalog of skills',
    path: '/api/catalog/skills',
    files: [SKILL_FILE],
    directories: SHARED_SKILLS,
    told: ({ skills }) => rulesOf(find(skills, 'git-summary')),
    good: ({ skills }) => find(skills, 'good'),
  },
  {
    name: 'the text of a shared skill',
    path: '/api/catalog/skills/git-summary/text',
    files: [SKILL_FILE],
    directories: SHARED_SKILLS,
    told: ({ text }) => text.slice(-6).trim(),
  },
  {
    name: 'the text of an agent’s own skill',
    path: '/api/catalog/skills/own/text?agent=scout',
    files: [OWN_SKILL_FILE],
    directories: [...AGENT_FOLDERS, ...AGENT_SKILLS],
    told: ({ text }) => text.slice(-6).trim(),
  },
  {
    name: 'the catalog of extensions',
    path: '/api/catalog/extensions',
    files: EXTENSION_FILES,
    directories: SHARED_EXTENSIONS,
    told: ({ extensions }, place) => rulesOf(find(extensions, place.includes('say.ts') ? 'say.ts' : 'pack')),
    good: ({ extensions }) => find(extensions, 'good.ts'),
  },
  ...FILE_KINDS.flatMap(({ kind, entry, own, good }): Reader[] => [
    {
      name: `the catalog of ${kind}`,
      path: `/api/catalog/${kind}`,
      files: [`shared/${kind}/${entry}`],
      directories: ['shared', `shared/${kind}`],
      told: (body) => rulesOf(find(body[kind], entry)),
      good: (body) => find(body[kind], good),
    },
    {
      name: `the text of one of the shared ${kind}`,
      path: `/api/catalog/${kind}/${entry}/text`,
      files: [`shared/${kind}/${entry}`],
      directories: ['shared', `shared/${kind}`],
      told: ({ text }) => text.slice(0, 6).trim(),
    },
    {
      name: `the text of one of an agent’s own ${kind}`,
      path: `/api/catalog/${kind}/${own}/text?agent=scout`,
      files: [`${AGENT}/${kind}/${own}`],
      directories: [...AGENT_FOLDERS, ...ofAgent(kind)],
      told: ({ text }) => text.slice(0, 6).trim(),
    },
  ]),
  ...LINK_KINDS.toReversed().flatMap((kind): Reader[] => {
    const isSkills = kind === 'skills';
    const { entry, good } = ENTRIES[kind];
    const shared = isSkills ? SHARED_SKILLS : ['shared', `shared/${kind}`];
    const teams = isSkills ? ['teams', 'teams/all', 'teams/all/skills'] : [];
    const folders = [...AGENT_FOLDERS, ...ofAgent(kind), ...shared];
    const links = [`${AGENT}/${kind}/${entry}`, ...(isSkills ? [] : [`shared/${kind}/${entry}`])];
    return [
      {
        name: `the use of shared ${kind}`,
        path: `/api/catalog/${kind}/usage`,
        files: links,
        directories: [...folders, ...teams],
        told: ({ usage, unread = [] }) =>
          words(
            ...(find(usage, entry)?.agents ?? []),
            ...unread.map(({ id, problem }: any) => `${id} ${problem.code}`),
          ),
        good: ({ usage }) => find(usage, good)?.agents.includes('good'),
      },
      {
        name: `the matrix of ${kind}`,
        path: `/api/links/matrix?kind=${kind}`,
        files: [...links, `${AGENT}/settings.json`, ...(isSkills ? [OWN_SKILL_FILE, SKILL_FILE] : [])],
        directories: folders,
        told: ({ names, agents }) => {
          const row = find(agents, 'scout', 'id');
          return row ? words(`cell ${row.cells[names.indexOf(entry)]}`, row.problem?.code) : 'absent';
        },
        good: ({ names, agents }) => find(agents, 'good', 'id')?.cells[names.indexOf(good)],
      },
      {
        name: `an agent’s ${kind}`,
        path: `/api/agents/scout/links/${kind}`,
        files: [...links, `${AGENT}/settings.json`],
        directories: folders,
        told: ({ entries }) => {
          const { kind: shown, linksToShared, broken, problem } = find(entries, entry) ?? {};
          return words(shown, linksToShared && 'shared', broken && 'broken', problem?.code);
        },
      },
    ];
  }),
  {
    name: 'the count of links',
    path: '/api/links',
    files: [`${AGENT}/skills/git-summary`, `${AGENT}/extensions/say.ts`, `${AGENT}/prompts/review.md`],
    directories: [...AGENT_FOLDERS, ...ofAgent(...LINK_KINDS), 'shared', 'shared/skills', 'shared/prompts'],
    told: ({ agents }) => {
      const { links, brokenLinks, problem } = find(agents, 'scout', 'id') ?? {};
      return words(links && `${links} links`, brokenLinks > 0 && `${brokenLinks} broken`, problem?.code);
    },
    good: ({ agents }) => find(agents, 'good', 'id'),
  },
  {
    name: 'the checks of an agent',
    path: '/api/agents/scout/checks',
    files: [
      ...ofAgent(...EDITABLE, 'settings.json', 'models.json', 'notes.md', 'skills/.gitignore', 'auth.json'),
      ...ofAgent('skills/git-summary', 'extensions/say.ts', 'extensions/agent-prompt.ts'),
      OWN_SKILL_FILE,
      SKILL_FILE,
      ...EXTENSION_FILES,
      ...AGENT_FILES,
      ...SHARED_FILES,
      ...ofAgent('prompts/.gitignore'),
    ],
    directories: [
      ...AGENT_FOLDERS,
      ...AGENT_SKILLS,
      ...ofAgent('extensions', 'prompts', 'themes'),
      ...SHARED_SKILLS,
      'shared/prompts',
      'shared/themes',
    ],
    told: ({ findings }) => words(...findings.map(({ rule, file }: any) => `${file} ${rule}`)),
  },
  {
    name: 'the checks of a shared skill',
    path: '/api/catalog/skills/git-summary/checks',
    files: [SKILL_FILE],
    directories: SHARED_SKILLS,
    told: ({ findings }) => words(...findings.map(({ rule }: any) => rule)),
  },
  {
    name: 'the counts of all checks',
    path: '/api/checks',
    files: [...ofAgent('SYSTEM.md', 'settings.json'), SKILL_FILE],
    directories: [...AGENT_FOLDERS, ...AGENT_SKILLS, ...SHARED_SKILLS],
    told: ({ agents, skills }) => {
      const counts = (one: any) => (one ? `${one.errors}/${one.warnings}/${one.hints}` : 'none');
      return words(counts(find(agents, 'scout', 'id')), counts(find(skills, 'git-summary')));
    },
    good: ({ agents }) => find(agents, 'good', 'id'),
  },
  {
    name: 'the list of presets',
    path: '/api/presets',
    files: ['shared/presets/mine.json'],
    directories: PRESETS,
    told: ({ presets }) => problemOf(find(presets, 'mine')),
    good: ({ presets }) => find(presets, 'good'),
  },
  {
    name: 'a preset',
    path: '/api/presets/mine',
    files: ['shared/presets/mine.json'],
    directories: PRESETS,
    told: problemOf,
  },
  {
    name: 'the sums of sessions',
    takesTime: true,
    isOperator: true,
    path: '/api/usage',
    files: SESSION_FILES,
    directories: SESSION_FOLDERS,
    told: ({ groups, problems }) =>
      words(`${find(groups, 'scout', 'key')?.calls} calls`, ...problems.map(({ problem }: any) => problem)),
    good: ({ groups }) => find(groups, 'good', 'key'),
  },
  {
    name: 'the last runs',
    takesTime: true,
    path: '/api/usage/last-runs',
    files: [SESSION_FILE],
    directories: SESSION_FOLDERS,
    told: ({ agents }) => problemOf(find(agents, 'scout', 'id')),
    good: ({ agents }) => find(agents, 'good', 'id'),
  },
  {
    name: 'the sessions of an agent',
    takesTime: true,
    path: '/api/agents/scout/sessions',
    isOperator: true,
    files: SESSION_FILES,
    directories: SESSION_FOLDERS,
    told: ({ sessions, notCounted }) => words(`${sessions.length} sessions`, notCounted && 'not counted'),
  },
  {
    name: 'a transcript',
    path: `/api/sessions/${session.id}`,
    isOperator: true,
    files: SESSION_FILES,
    directories: SESSION_FOLDERS,
    told: ({ path, entries }) => words(`${entries.length} entries`, `in ${path?.split('/')[0]}`),
  },
  {
    name: 'the command that resumes a session',
    path: `/api/sessions/${session.id}/resume-command`,
    isOperator: true,
    files: [SESSION_FILE, `${AGENT}/pi-args`],
    directories: SESSION_FOLDERS,
    told: ({ argv }) => words(`in ${argv.at(-1).includes('workspaces') ? 'workspaces' : 'agents'}`),
  },
  {
    name: 'an agent’s budget',
    takesTime: true,
    path: '/api/agents/scout/budget',
    files: SESSION_FILES,
    directories: [...AGENT_FOLDERS, 'workspaces'],
    told: ({ limits, notCounted }) => words(`${limits.length} limits`, notCounted && 'not counted'),
  },
  {
    name: 'the budgets',
    path: '/api/budgets',
    files: [SESSION_FILE],
    directories: AGENT_FOLDERS,
    told: ({ budgets }) => words(`${budgets.length} budgets`),
  },
  {
    name: 'the trash',
    path: '/api/trash',
    isOperator: true,
    files: [`${ENTRY}/entry.json`],
    directories: ['.trash', ENTRY, `${ENTRY}/agent`],
    told: ({ entries }) => problemOf(find(entries, 'old', 'id')),
    good: ({ entries }) => find(entries, 'good', 'id'),
  },
  {
    name: 'trust in the root',
    path: '/api/root/trust',
    isOperator: true,
    followsLinks: true,
    files: ['setup.sh', 'dotpi'],
    directories: [],
    told: ({ script }) => words(script?.name),
  },
  {
    name: 'the look at a root',
    path: '/api/root/check?path=ROOT',
    isOperator: true,
    files: ['setup.sh'],
    directories: ['agents', 'shared'],
    told: ({ agents, setupScript }) => words(`${agents} agents`, setupScript && 'script'),
  },
  {
    name: 'the recent roots',
    path: '/api/roots',
    isOperator: true,
    files: ['setup.sh'],
    directories: ['agents'],
    told: ({ roots }) => words(`${roots[0]?.agents} agents`),
  },
  {
    name: 'the settings',
    path: '/api/settings',
    isOperator: true,
    files: ['setup.sh'],
    directories: ['agents', 'shared'],
    told: ({ settings, lastError }) => words(settings.root.origin, lastError ?? undefined),
  },
];
// biome-ignore-end lint/suspicious/noExplicitAny: any answer
