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
};
