import type { Tree } from './plant.ts';

/**
 * An agent named `scout` and what surrounds it, for which the prompts of real pi runs are captured.
 *
 * - `tree`: what is planted in an empty directory, the world. `root/` is the dot-mi root, `home/` is the
 *   home directory, and `work/project` exists in each world.
 * - `cwd`: where pi runs, relative to the world. Default: `work/project`.
 * - `trusted`: whether pi may use the project's own files. Default: as pi decides without asking.
 */
export interface PromptCase {
  readonly tree: Tree;
  readonly cwd?: string;
  readonly trusted?: boolean;
}

/** The directory that pi runs in, unless a case says otherwise. */
export const DEFAULT_CWD = 'work/project';

const AGENT = 'root/agents/scout';
const SYSTEM = { [`${AGENT}/SYSTEM.md`]: 'You are a scout.\n\n- Look, then report.\n' };

const args = (...lines: string[]): Tree => ({ [`${AGENT}/pi-args`]: `${lines.join('\n')}\n` });

const skill = (name: string, description = `Does ${name}. Use it for ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n`;

const own = (name: string, text = skill(name)): Tree => ({ [`${AGENT}/skills/${name}/SKILL.md`]: text });

const shared = (name: string, text = skill(name)): Tree => ({
  [`root/shared/skills/${name}/SKILL.md`]: text,
  [`${AGENT}/skills/${name}`]: { link: `../../../shared/skills/${name}` },
});

const CONTEXT: Tree = {
  [`${AGENT}/AGENTS.md`]: 'Context of the agent.\n',
  'CLAUDE.md': 'Context of the world, as CLAUDE.md.\n',
  'work/AGENTS.md': 'Context of work.\n',
  'work/CLAUDE.md': 'Never read: AGENTS.md comes first.\n',
  'work/project/AGENTS.md': '\uFEFFContext of the project, with a BOM.',
  'work/project/AGENTS.override.md': 'The override of the project.\n',
};

const PROJECT: Tree = {
  'work/project/.pi/SYSTEM.md': 'The prompt of the project.\n',
  'work/project/.pi/APPEND_SYSTEM.md': 'The addendum of the project.\n',
  'work/project/.pi/skills/project-skill/SKILL.md': skill('project-skill'),
  'work/project/.agents/skills/near/SKILL.md': skill('near'),
  'work/.agents/skills/far/SKILL.md': skill('far'),
};

const HOME_SKILLS: Tree = {
  'home/.agents/skills/everywhere/SKILL.md': skill('everywhere'),
  'home/.agents/skills/zebra/SKILL.md': skill('zebra', 'Loses to the skill of the agent.'),
  'home/.agents/skills/loose.md': skill('loose'),
  'home/.agents/skills/folder/inner.md': skill('inner'),
};

/** An entry of `mcpServers` that pi starts: {@link NOTES_SERVER}, in the directory where pi runs. */
const NOTES = { command: 'node', args: ['notes.mjs'], env: { NOTES_KEY: 'never-in-a-prompt' } };

/** A program that is an MCP server with instructions and one tool. */
export const NOTES_PROGRAM = `import { createInterface } from 'node:readline';
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '1.0.0' },
    instructions: 'Keeps the notes of a team.\\nAsk before you delete one.',
  }),
  'tools/list': () => ({
    tools: [{ name: 'find', description: 'Finds a note.', inputSchema: { type: 'object' } }],
  }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  const result = results[method]?.(params) ?? {};
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});
`;

const NOTES_SERVER: Tree = { 'work/project/notes.mjs': NOTES_PROGRAM };

/** An entry of `mcpServers` whose program doesn't exist, so that it never says anything about itself. */
const absent = (fields: object = {}) => ({ command: 'a-program-that-nobody-has', ...fields });

/** An mcp.json with these servers. */
const mcp = (mcpServers: object, more: object = {}, directory = AGENT): Tree => ({
  [`${directory}/mcp.json`]: `${JSON.stringify({ ...more, mcpServers }, null, 2)}\n`,
});

const settings = (fields: object): Tree => ({ [`${AGENT}/settings.json`]: JSON.stringify(fields) });

const AGENT_MD_READER: Tree = {
  [`${AGENT}/extensions/agent-prompt.ts`]: { link: '../../../shared/extensions/agent-prompt.ts' },
};

const DESCRIBED = mcp({ docs: absent({ description: 'Searches the documentation.' }) });

/** What pi does with MCP servers. Only 1.5 knows them. */
const MCP_CASES: Readonly<Record<string, PromptCase>> = {
  'mcp-server': {
    tree: {
      ...SYSTEM,
      ...NOTES_SERVER,
      ...mcp({ notes: { ...NOTES, description: '  Keeps notes.  \nNever shown.' } }),
    },
  },
  'mcp-server-without-a-description': { tree: { ...SYSTEM, ...mcp({ notes: absent() }) } },
  // pi waits for a server whose tools it declares at once. What it then says is in the first prompt.
  'mcp-server-with-instructions': {
    tree: { ...SYSTEM, ...NOTES_SERVER, ...mcp({ notes: { ...NOTES, toolExposure: { find: 'direct' } } }) },
  },
  'mcp-server-off': { tree: { ...SYSTEM, ...mcp({ docs: absent({ enabled: false }) }) } },
  'mcp-servers': {
    tree: {
      ...SYSTEM,
      ...mcp({
        zebra: absent({ description: '' }),
        'dash-and_underscore': absent({ description: `${'x'.repeat(248)}😀${'y'.repeat(20)}` }),
        Capital: { url: 'https://example.com/mcp', enabled: true, description: 'Of a website.' },
        off: absent({ enabled: false }),
        hidden: absent({ exposure: 'hidden' }),
        direct: absent({ exposure: 'direct' }),
        searched: absent({ exposure: 'deferred', description: '<b> & "c"' }),
        older: absent({ exposure: 'codemode-deferred' }),
        partly: absent({ exposure: 'hidden', toolExposure: { 'get_*': 'deferred', find: 'codemode' } }),
      }),
    },
  },
  'mcp-servers-that-are-too-many': {
    tree: {
      ...SYSTEM,
      ...mcp(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`server-${index}`, absent()]))),
    },
  },
  'mcp-servers-with-long-descriptions': {
    tree: {
      ...SYSTEM,
      ...mcp(
        Object.fromEntries(
          Array.from({ length: 30 }, (_, index) => [
            `server-${index}`,
            absent({ description: `Server ${index} ${'does much. '.repeat(30)}` }),
          ]),
        ),
      ),
    },
  },
  'mcp-off': { tree: { ...SYSTEM, ...DESCRIBED, ...args('--no-mcp') } },
  'mcp-without-extensions': { tree: { ...SYSTEM, ...DESCRIBED, ...args('--no-extensions') } },
  'mcp-named-without-extensions': {
    tree: { [AGENT]: null, ...DESCRIBED, ...args('--no-extensions', '-e', 'builtin:mcp') },
  },
  'mcp-off-in-settings': {
    tree: { ...SYSTEM, ...DESCRIBED, ...settings({ extensions: ['-builtin:mcp'] }) },
  },
  'mcp-alone-in-settings': {
    tree: {
      [AGENT]: null,
      ...mcp({ a: absent({ exposure: 'deferred' }), b: absent() }),
      ...settings({ extensions: ['!builtin:*', '+builtin:mcp'] }),
    },
  },
  'mcp-without-codemode-in-settings': {
    tree: { [AGENT]: null, ...DESCRIBED, ...settings({ extensions: ['-builtin:codemode'] }) },
  },
  'mcp-tools-read': { tree: { ...DESCRIBED, ...args('--tools', 'read') } },
  'mcp-tools-by-pattern': {
    tree: { ...DESCRIBED, ...args('--tools', 'w*,c*,read,mcp__docs__*', '--exclude-tools', '*ite') },
  },
  'mcp-tools-left-out': { tree: { ...DESCRIBED, ...args('--exclude-tools', 'code*,ls') } },
  'mcp-no-tools': { tree: { ...DESCRIBED, ...args('--no-tools') } },
  'mcp-no-builtin-tools': { tree: { ...DESCRIBED, ...args('--no-builtin-tools') } },
  'mcp-default-prompt': { tree: { ...DESCRIBED, ...own('zebra') } },
  'mcp-tool-search': {
    tree: { ...mcp({ a: absent({ exposure: 'deferred' }), b: absent() }), ...own('zebra') },
  },
  'mcp-without-codemode': {
    tree: {
      ...mcp({ docs: absent({ description: 'Docs.' }) }, { autoEnableCodemode: false }),
      ...own('zebra'),
    },
  },
  'mcp-codemode-only': {
    tree: { ...DESCRIBED, ...own('zebra'), ...settings({ codemode: { mode: 'only' } }) },
  },
  'mcp-agent-md': {
    tree: {
      ...SYSTEM,
      ...DESCRIBED,
      ...AGENT_MD_READER,
      [`${AGENT}/AGENT.md`]: '---\ntools: grep, read\n---\nThe text of AGENT.md.\n',
    },
  },
  'mcp-json-broken': {
    tree: { ...SYSTEM, [`${AGENT}/mcp.json`]: '{ "mcpServers": { "docs": { "command": "x" }, } }\n' },
  },
  'mcp-json-with-bom': {
    tree: { ...SYSTEM, [`${AGENT}/mcp.json`]: '\uFEFF{ "mcpServers": { "docs": { "command": "x" } } }' },
  },
  'mcp-json-of-another-shape': { tree: { ...SYSTEM, [`${AGENT}/mcp.json`]: '{ "mcpServers": [] }' } },
  'mcp-entries-not-valid': {
    tree: {
      ...SYSTEM,
      ...mcp({
        'with space': absent(),
        text: 'x',
        neither: { description: 'x' },
        sse: { type: 'sse', url: 'https://example.com/sse' },
        'enabled-word': absent({ enabled: 'yes' }),
        'no-text': absent({ description: null }),
        'no-time': absent({ timeout: 0 }),
        'no-args': absent({ args: 'x' }),
        'no-env': absent({ env: { PORT: 1 } }),
        'no-cwd': absent({ cwd: 1 }),
        'other-exposure': absent({ exposure: 'open' }),
        'other-tool-exposure': absent({ toolExposure: { find: 'open' } }),
        ftp: { url: 'ftp://example.com' },
        'no-headers': { url: 'https://example.com', headers: ['x'] },
        'type-of-the-other': { type: 'stdio', url: 'https://example.com' },
        'no-provider': { url: 'https://example.com', auth: {} },
        'not-encrypted': { url: 'http://example.com', auth: { provider: 'x' } },
        'no-port': { url: 'https://example.com', oauth: { callbackPort: 70_000 } },
        'not-loopback': { url: 'https://example.com', oauth: { callbackUrl: 'http://example.com/callback' } },
        'two-ports': {
          url: 'https://example.com',
          oauth: { callbackUrl: 'http://localhost:1/callback', callbackPort: 2 },
        },
        'no-name': { url: 'https://example.com', oauth: { clientName: ' ' } },
        'other-registration': { url: 'https://example.com', oauth: { clientRegistration: 'x' } },
        'cimd-with-id': { url: 'https://example.com', oauth: { clientRegistration: 'cimd', clientId: 'x' } },
        'cimd-elsewhere': {
          url: 'https://example.com',
          oauth: { clientRegistration: 'cimd', callbackUrl: 'http://localhost/other' },
        },
        'no-metadata': {
          url: 'https://example.com',
          oauth: { authServerMetadataUrl: 'http://example.com/x' },
        },
        same_name: absent({ description: 'The first.' }),
        'same-name': absent({ description: 'The second.' }),
        loopback: { url: 'http://127.0.0.1:1/mcp', auth: { provider: 'x' } },
        both: { type: 'stdio', url: 'https://example.com', command: 'a-program-that-nobody-has' },
        typed: { type: 'streamable-http', url: 'http://127.0.0.1:1/mcp', unknown: true },
        oauth: {
          url: 'http://127.0.0.1:1/mcp',
          oauth: {
            clientName: 'x',
            callbackUrl: 'http://[::1]/callback',
            callbackPort: 8765,
            scope: 'a b',
            clientRegistration: 'dcr',
            authServerMetadataUrl: 'http://localhost:1/x',
          },
        },
      }),
    },
  },
  'mcp-project': {
    tree: {
      ...SYSTEM,
      ...DESCRIBED,
      ...mcp({ project: absent({ description: 'Of the project.' }) }, {}, 'work/project/.pi'),
    },
  },
  'mcp-project-trusted': {
    tree: {
      ...SYSTEM,
      ...mcp({
        docs: absent({ description: 'Of the agent.' }),
        replaced: absent({ description: 'Of the agent.' }),
        changed: absent({ exposure: 'hidden', description: 'Of the agent, as the project shows it.' }),
        stays: absent({ description: 'An override may not change this.' }),
        taken_name: absent({ description: 'Of the agent.' }),
      }),
      ...mcp(
        {
          docs: { enabled: false },
          replaced: absent({ description: 'Of the project.' }),
          changed: { exposure: 'deferred' },
          stays: { description: 'Never.' },
          nobody: { enabled: true },
          'taken-name': absent(),
          login: { url: 'https://example.com', auth: { provider: 'x' } },
          added: absent({ description: 'Added by the project.' }),
        },
        { autoEnableCodemode: false },
        'work/project/.pi',
      ),
    },
    trusted: true,
  },
};

const NPM = `${AGENT}/npm/node_modules`;
const CLONE = `${AGENT}/git/github.com/me/clone`;

/** The files of a package in a directory. */
const inPackage = (directory: string, packageJson: object, tree: Record<string, string> = {}): Tree =>
  Object.fromEntries(
    Object.entries({ 'package.json': JSON.stringify(packageJson), ...tree }).map(([path, text]) => [
      `${directory}/${path}`,
      text,
    ]),
  );

/** The SKILL.md files of skills at these paths. */
const skillsAt = (...paths: string[]): Record<string, string> =>
  Object.fromEntries(paths.map((path) => [`${path}/SKILL.md`, skill(path.slice(path.lastIndexOf('/') + 1))]));

const packages = (...entries: unknown[]): Tree => settings({ packages: entries });

const PACKAGE_CASES: Readonly<Record<string, PromptCase>> = {
  packages: {
    tree: {
      ...SYSTEM,
      ...own('zebra'),
      ...HOME_SKILLS,
      ...settings({
        // None of these is about packages.
        skills: ['-skills/kept', '!**/forced', '-npm/node_modules/@me/tools/skills/kept'],
        packages: [
          {
            source: 'npm:@me/tools@^1.0.0',
            skills: ['skills/*', '!**/dropped', '-skills/never', '+skills/group/forced'],
          },
          'npm:listed',
          'git:github.com/me/clone@v1',
          { source: 'npm:delta', autoload: false, skills: ['+skills/second', 'skills/f*', '!skills/fourth'] },
          { source: 'npm:none', skills: [] },
          'npm:@me/tools',
          'npm:gone',
          '../../shared/pack',
          './../../shared/pack/',
        ],
      }),
      ...inPackage(
        `${NPM}/@me/tools`,
        { version: '1.2.3' },
        skillsAt(
          'skills/kept',
          'skills/dropped',
          'skills/never',
          'skills/group/forced',
          'skills/group/other',
          'skills/.hidden',
          'skills/zebra',
        ),
      ),
      ...inPackage(
        `${NPM}/listed`,
        {
          version: '1.0.0',
          pi: { skills: ['packs/*', '!packs/c', 'one.md', './packs/../deep', 'gone', 'notes.txt'] },
        },
        {
          ...skillsAt('packs/b', 'packs/a', 'packs/c', 'deep/er/inner', 'skills/unlisted'),
          'one.md': skill('one'),
          'notes.txt': skill('notes'),
          'deep/.gitignore': 'er/left-out\n',
          'deep/er/left-out/SKILL.md': skill('left-out'),
          'deep/loose.md': skill('loose-in-a-package'),
        },
      ),
      ...inPackage(
        CLONE,
        {},
        {
          ...skillsAt('skills/kept', 'skills/everywhere', 'skills/cloned', 'other/unlisted'),
          'skills/quiet/SKILL.md': '---\nname: quiet\ndescription: d\ndisable-model-invocation: true\n---\n',
          'skills/no-text/SKILL.md': '---\nname: no-text\n---\n',
        },
      ),
      ...inPackage(
        `${NPM}/delta`,
        { version: '1.0.0' },
        skillsAt('skills/first', 'skills/second', 'skills/third', 'skills/fourth'),
      ),
      ...inPackage(`${NPM}/none`, { version: '1.0.0' }, skillsAt('skills/nobody')),
      ...inPackage('root/shared/pack', {}, skillsAt('skills/at-a-path')),
    },
  },
  'packages-with-an-extension': {
    tree: {
      ...SYSTEM,
      ...packages('npm:both', './alone.ts', './bare'),
      ...inPackage(
        `${NPM}/both`,
        { version: '1.0.0', pi: { extensions: ['say.ts'], skills: ['s'], prompts: ['p'], themes: ['t'] } },
        {
          ...skillsAt('s/said'),
          'say.ts': 'export default () => {};\n',
          'p/ask.md': 'Ask.\n',
        },
      ),
      [`${AGENT}/alone.ts`]: 'export default () => {};\n',
      [`${AGENT}/bare/index.ts`]: 'export default () => {};\n',
    },
  },
  'packages-of-the-directory': {
    tree: {
      ...SYSTEM,
      ...HOME_SKILLS,
      ...own('zebra'),
      ...own('alpha'),
      ...settings({ packages: ['.'], skills: ['-skills/alpha'] }),
    },
  },
  'packages-with-linked-skills': {
    tree: {
      ...SYSTEM,
      ...shared('switched-off'),
      ...shared('linked'),
      ...settings({
        packages: ['./pack', './later', '../../shared/linked-pack'],
        skills: ['-skills/switched-off'],
      }),
      [`${AGENT}/pack/skills/off-too`]: { link: '../../../../shared/skills/switched-off' },
      [`${AGENT}/pack/skills/again`]: { link: '../../../../shared/skills/linked' },
      [`${AGENT}/later`]: { link: '../../shared/real' },
      ...inPackage('root/shared/real', {}, skillsAt('skills/through-a-link')),
      'root/shared/linked-pack/skills': { link: '../skills' },
    },
  },
  'packages-in-another-version': {
    tree: {
      ...SYSTEM,
      ...packages('npm:pinned@2.0.0', 'npm:right@v1.0.0', 'npm:without-version'),
      ...inPackage(`${NPM}/pinned`, { version: '1.0.0' }, skillsAt('skills/old')),
      ...inPackage(`${NPM}/right`, { version: '1.0.0' }, skillsAt('skills/right')),
      ...inPackage(`${NPM}/without-version`, {}, skillsAt('skills/unsure')),
    },
  },
  'packages-about-themselves': {
    tree: {
      ...SYSTEM,
      ...packages('./pictured', { source: './filtered', skills: ['skills/in'] }, './empty-list'),
      ...inPackage(`${AGENT}/pictured`, { pi: { image: 'x.png' } }, skillsAt('skills/pictured')),
      ...inPackage(
        `${AGENT}/filtered`,
        { pi: { skills: ['!skills/in', 'skills/*', '+skills/in'] } },
        skillsAt('skills/in', 'skills/out'),
      ),
      ...inPackage(`${AGENT}/empty-list`, { pi: { skills: [] } }, skillsAt('skills/never')),
    },
  },
  'packages-no-skills': {
    tree: {
      ...SYSTEM,
      ...packages('./pack'),
      ...inPackage(`${AGENT}/pack`, {}, skillsAt('skills/never')),
      ...args('--no-skills'),
    },
  },
};

/** What pi must do, by name. */
export const PROMPT_CASES: Readonly<Record<string, PromptCase>> = {
  'system-md': { tree: SYSTEM },
  'no-system-md': { tree: { [AGENT]: null } },
  'empty-system-md': { tree: { [`${AGENT}/SYSTEM.md`]: '' } },
  'blank-system-md': { tree: { [`${AGENT}/SYSTEM.md`]: '\n' } },
  'system-md-with-bom-and-crlf': { tree: { [`${AGENT}/SYSTEM.md`]: '\uFEFFYou are\r\na scout.  \r\n\r\n' } },
  'append-system-md': { tree: { ...SYSTEM, [`${AGENT}/APPEND_SYSTEM.md`]: 'Be brief.\n' } },
  'empty-append-system-md': { tree: { ...SYSTEM, [`${AGENT}/APPEND_SYSTEM.md`]: '' } },
  'append-without-system-md': { tree: { [`${AGENT}/APPEND_SYSTEM.md`]: 'Be brief.\n' } },
  'append-arguments': {
    tree: {
      ...SYSTEM,
      [`${AGENT}/APPEND_SYSTEM.md`]: 'Never sent.\n',
      'work/project/notes.md': 'From notes.md.\n',
      ...args('--append-system-prompt', 'Brief!', '--append-system-prompt', 'notes.md'),
    },
  },
  'system-argument': { tree: { ...SYSTEM, ...args('--system-prompt', 'Terse.') } },
  'context-files': { tree: { ...SYSTEM, ...CONTEXT } },
  'context-files-off': { tree: { ...SYSTEM, ...CONTEXT, ...args('-nc') } },
  'context-file-is-a-directory': {
    tree: { ...SYSTEM, 'work/project/AGENTS.md': null, 'work/project/CLAUDE.md': 'Context.\n' },
  },
  'context-of-the-root': {
    tree: { ...SYSTEM, 'root/AGENTS.md': 'Context of the root.\n', 'root/workspaces/scout/run': null },
    cwd: 'root/workspaces/scout/run',
  },
  'project-files': { tree: { ...SYSTEM, ...PROJECT } },
  'project-files-trusted': { tree: { ...SYSTEM, ...PROJECT }, trusted: true },
  skills: {
    tree: {
      ...SYSTEM,
      ...shared('linked'),
      ...own('zebra'),
      ...own('Alpha'),
      ...own('xml', skill('xml', `'Says "<b>" & ''more''.'`)),
      ...own('hidden', '---\nname: hidden\ndescription: d\ndisable-model-invocation: true\n---\n'),
      ...own('other-name', skill('named-differently')),
      ...own('twice-a', skill('twice', 'The first wins.')),
      ...own('twice-b', skill('twice', 'The second loses.')),
      ...own('without-name', '---\ndescription: Has no name.\n---\n'),
      ...own('without-description', '---\nname: without-description\n---\n'),
      ...own('folded', '---\nname: folded\ndescription: >\n  One\n  line.\n\n  Two.\n---\n'),
      ...own('crlf', '---\r\nname: crlf\r\ndescription: |\r\n  A\r\n  B\r\n---\r\n'),
      ...own('broken-yaml', '---\nname: broken-yaml\ndescription: [\n---\n'),
      ...own('no-frontmatter', 'Just text.\n'),
      [`${AGENT}/skills/dangling`]: { link: '../../../shared/skills/nowhere' },
      [`${AGENT}/skills/group/inner/SKILL.md`]: skill('inner'),
      [`${AGENT}/skills/group/notes.md`]: skill('notes'),
      [`${AGENT}/skills/single.md`]: skill('single'),
      [`${AGENT}/skills/.dotted/SKILL.md`]: skill('dotted'),
      [`${AGENT}/skills/node_modules/dependency/SKILL.md`]: skill('dependency'),
      [`${AGENT}/skills/again`]: { link: '../../../shared/skills/linked' },
    },
  },
  'skills-with-bom': { tree: { ...SYSTEM, ...own('marked', `\uFEFF${skill('marked')}`) } },
  'skills-ignored': {
    tree: {
      ...SYSTEM,
      ...own('kept'),
      ...own('left-out'),
      ...own('draft-one'),
      ...own('draft-two'),
      ...own('build'),
      [`${AGENT}/skills/.gitignore`]: '# comment\nleft-out\n/draft-*\n!draft-two\n',
      [`${AGENT}/skills/build/.ignore`]: 'SKILL.md\n',
    },
  },
  'skills-at-home': { tree: { ...SYSTEM, ...own('zebra'), ...HOME_SKILLS } },
  'skills-of-an-argument': {
    tree: {
      ...SYSTEM,
      ...own('zebra'),
      'work/project/more/extra/SKILL.md': skill('extra'),
      ...args('--skill', 'more'),
    },
  },
  'no-skills': { tree: { ...SYSTEM, ...own('zebra'), ...HOME_SKILLS, ...args('--no-skills') } },
  'tools-read': { tree: { ...SYSTEM, ...own('zebra'), ...args('--tools', 'read,grep') } },
  'tools-bash': { tree: { ...SYSTEM, ...own('zebra'), ...args('-t', 'bash') } },
  'tools-without-a-reader': { tree: { ...SYSTEM, ...own('zebra'), ...args('--tools', 'grep,ls') } },
  'no-tools': { tree: { ...own('zebra'), ...args('--no-tools') } },
  'default-prompt-with-tools': { tree: { [AGENT]: null, ...args('--tools', 'read,bash,grep,find,ls') } },
  'default-prompt-all-parts': {
    tree: { [`${AGENT}/APPEND_SYSTEM.md`]: 'Be brief.\n', ...CONTEXT, ...own('zebra') },
  },
  'tools-left-out': { tree: { ...own('zebra'), ...args('--exclude-tools', 'read,edit') } },
  'tools-of-settings': {
    tree: { ...own('zebra'), [`${AGENT}/settings.json`]: '{"defaultTools":["grep","bash"]}' },
  },
  'agent-md': {
    tree: {
      ...SYSTEM,
      ...own('zebra'),
      [`${AGENT}/AGENT.md`]: '---\ntools: read, grep\n---\n\nThe text of AGENT.md.\n',
      [`${AGENT}/extensions/agent-prompt.ts`]: { link: '../../../shared/extensions/agent-prompt.ts' },
    },
  },
  'agent-md-without-tools': {
    tree: {
      ...own('zebra'),
      [`${AGENT}/AGENT.md`]: '---\ntools: grep\n---\nThe text of AGENT.md.\n',
      [`${AGENT}/extensions/agent-prompt.ts`]: { link: '../../../shared/extensions/agent-prompt.ts' },
    },
  },
  'agent-md-without-its-extension': {
    tree: { ...SYSTEM, [`${AGENT}/AGENT.md`]: '---\ntools: read\n---\nNever sent.\n' },
  },
  'agent-md-in-another-order': {
    tree: {
      ...SYSTEM,
      ...AGENT_MD_READER,
      [`${AGENT}/AGENT.md`]: '---\ntools: write, grep, read\n---\nThe text of AGENT.md.\n',
    },
  },
  'tools-changed': { tree: { ...own('zebra'), ...args('--tools', '+codemode,-bash') } },
  'tools-codemode': { tree: { ...own('zebra'), ...args('--tools', 'bash,codemode,tool_search') } },
  ...MCP_CASES,
  ...PACKAGE_CASES,
};
