import { expect, test } from 'vitest';
import { extensionCalls } from '../../../src/pi/extension-calls.ts';
import { type CheckedAgent, checkAgent, expectFix, fixed, linkTo } from '../../support/check.ts';
import { testAgentRules } from '../../support/rule-cases.ts';

const piArgs = (text: string, more: CheckedAgent = {}): CheckedAgent => ({
  ...more,
  files: { 'pi-args': text, ...more.files },
});

const extension = (source: string): CheckedAgent => ({
  extensions: { 'say.ts': { link: linkTo('extensions', 'say.ts'), calls: extensionCalls(source) } },
});

const SAY = extension('pi.registerFlag("tts-enable", { type: "boolean" });');

const facts = { name: 'git-summary', description: 'Summarizes. Use it for reports.', isHidden: false };
const SAY_OFF: CheckedAgent = {
  extensions: { 'say.ts': { link: linkTo('extensions', 'say.ts'), isOff: true } },
};
const SKILL: CheckedAgent = {
  skills: { 'git-summary': { link: linkTo('skills', 'git-summary'), facts } },
};
const HIDDEN: CheckedAgent = { skills: { 'git-summary': { facts: { ...facts, isHidden: true } } } };

const KEY = 'sk-ant-api03-Zq4T8vW1nB6xKp2Lr9Ys';

testAgentRules([
  {
    rule: 'pi-args-unknown-flag',
    bad: piArgs('--tool\nread\n--tts-enable\n-z\n--\u202eplan'),
    marks: ['--tool', '--tts-enable', '-z', '--\u202eplan'],
    says: 'Did you mean --tools?',
    hides: '\u202e',
    good: [
      piArgs('--tools\nread\n--tts-enable\n-nt', SAY),
      // Some flag of this extension has a name that dot-mi can't read.
      piArgs('--plan', extension('pi.registerFlag(NAME, {});')),
      piArgs('--plan', { files: { 'settings.json': '{"packages":["npm:plan"]}' } }),
      piArgs('-e\n./x.ts\n--plan'),
      piArgs('--\n--plan\n-z'),
    ],
  },
  {
    rule: 'pi-args-unknown-flag',
    bad: piArgs('--no-extensions\n--tts-enable', SAY),
    marks: ['--tts-enable'],
    says: 'link the extension',
    good: [],
  },
  {
    rule: 'pi-args-unknown-flag',
    bad: piArgs('--thinkin=low', extension('pi.registerFlag(NAME, {});')),
    marks: ['--thinkin=low'],
    good: [piArgs('--tools=read')],
  },
  {
    rule: 'pi-args-equals-sign',
    bad: piArgs('--model=local/qwen\n--offline=1'),
    marks: ['--model=local/qwen', '--offline=1'],
    good: [piArgs('--model\na=b'), piArgs('--mine=1'), piArgs('-t=read')],
  },
  {
    rule: 'pi-args-missing-value',
    bad: piArgs('--model\n--no-tools\n--mode\n-p\n--thinking'),
    marks: ['--model', '--mode', '--thinking'],
    says: 'pi uses the next argument, "--no-tools"',
    good: [piArgs('--append-system-prompt\n-x\n--list-models\n-p\n--offline'), piArgs('--model\nqwen')],
  },
  {
    rule: 'pi-args-bad-value',
    bad: piArgs('--thinking\nhi\n--mode\nyaml\n-t\n+grep,read'),
    marks: ['hi', 'yaml', '+grep,read'],
    says: 'doesn’t accept "hi"',
    good: [piArgs('--thinking\nmax\n--mode\njson\n-t\n+grep,-write'), piArgs('-t\nread,grep')],
  },
  {
    rule: 'pi-args-quotes',
    bad: piArgs(`--tools "read,bash"\n-t\n'read'\n--exclude-tools\nread,"bash"`),
    marks: ['"read,bash"', "'read'", 'read,"bash"'],
    says: 'literally, so this agent doesn’t get these tools. Remove the quotes.',
    good: [piArgs('--tools\nread,bash\n--name\nit’s-"me\n# "read"\n--model=x'), piArgs("don't\n'tis")],
  },
  {
    rule: 'pi-args-quotes',
    bad: piArgs('"--no-skills"'),
    marks: ['"--no-skills"'],
    says: 'so it isn’t a flag: each run starts by sending it to the model',
    good: [piArgs('--no-skills')],
  },
  {
    rule: 'pi-args-quotes',
    bad: piArgs('--provider "anthropic"\n--model\nclaude'),
    marks: ['"anthropic"'],
    says: 'so pi doesn’t find it and exits',
    good: [],
  },
  {
    rule: 'pi-args-quotes',
    bad: piArgs('--append-system-prompt "Be brief."\n--name \'my agent\''),
    marks: ['"Be brief."', "'my agent'"],
    says: 'pi ignores these quotes, and receives 2 arguments. Put the text into APPEND_SYSTEM.md, and remove --append-system-prompt.',
    good: [],
  },
  {
    rule: 'pi-args-several-tokens',
    bad: piArgs('--append-system-prompt Be brief and kind\n--tools read'),
    marks: ['--append-system-prompt Be brief and kind', '--tools read'],
    says: 'pi reads only "Be" as the value of --append-system-prompt, and sends the rest to the model. Put the text into APPEND_SYSTEM.md',
    good: [piArgs('--append-system-prompt "Be brief."'), piArgs('--append-system-prompt\nBrief.')],
  },
  {
    rule: 'pi-args-comment',
    bad: piArgs('--no-tools # chat only\n  # indented\n'),
    marks: ['# chat only', '# indented'],
    good: [piArgs('# --no-tools\n#x\n--name\na#b')],
  },
  {
    rule: 'pi-args-spaces',
    bad: piArgs('  --no-tools\n--model\t\n'),
    marks: ['  ', '\t'],
    good: [piArgs('# note  \n--no-tools\n   \n')],
  },
  {
    rule: 'pi-args-glob',
    bad: piArgs('--models\nanthropic/*'),
    marks: ['anthropic/*'],
    good: [piArgs('# *\n--models\nanthropic/claude')],
  },
  {
    rule: 'pi-args-secret',
    bad: piArgs(`--api-key\n${KEY}\n--api-key=${KEY}\n--name\n${KEY}`),
    marks: [`--api-key\n${KEY}`, `--api-key=${KEY}`, KEY],
    says: 'log in with /login',
    hides: 'Zq4T8vW1nB6',
    good: [piArgs('--name\nsk-your-key-goes-here-please\n# --api-key'), piArgs('--session\nsk-short1')],
  },
  {
    rule: 'pi-args-every-run',
    bad: piArgs('-p\n--mode\njson\n--export\nx\n--list-models\n-h\n-v'),
    marks: ['-p', '--mode', '--export', '--list-models', '-h', '-v'],
    says: 'With -p in pi-args, runs are no longer interactive',
    good: [piArgs('--verbose\n--name\n-p')],
  },
  {
    rule: 'pi-args-approve',
    bad: piArgs('-a'),
    marks: ['-a'],
    good: [piArgs('--no-approve\n-na')],
  },
  {
    rule: 'pi-args-no-session',
    bad: piArgs('--no-session'),
    marks: ['--no-session'],
    good: [piArgs('--session-dir\nsessions')],
  },
  {
    rule: 'skills-unreadable',
    bad: piArgs('--tools\ngrep,find', SKILL),
    marks: ['grep,find'],
    says: 'has 1 skill, but neither "read" nor "bash"',
    good: [
      piArgs('--tools\ngrep,bash', SKILL),
      piArgs('--tools\ngrep,b*', SKILL),
      piArgs('--tools\n+grep,-bash', SKILL),
      piArgs('--tools\ngrep'),
      piArgs('--tools\ngrep', HIDDEN),
      piArgs('--no-tools\n--no-skills', SKILL),
      piArgs('--no-tools\n--tools\nread', SKILL),
    ],
  },
  {
    rule: 'skills-unreadable',
    bad: {
      ...SKILL,
      files: { 'AGENT.md': '---\ntools: [grep, ls]\n---\n' },
      extensions: { 'agent-prompt.ts': { link: linkTo('extensions', 'agent-prompt.ts') } },
    },
    marks: ['[grep, ls]'],
    good: [{ ...SKILL, files: { 'AGENT.md': '---\ntools: grep, ls\n---\n' } }],
  },
  {
    rule: 'skills-unreadable',
    bad: { ...SKILL, files: { 'settings.json': '{ "defaultTools": ["ls"] }' } },
    marks: ['["ls"]'],
    good: [{ ...SKILL, files: { 'settings.json': '{ "defaultTools": ["+ls"] }' } }],
  },
  {
    rule: 'skills-unreadable',
    bad: piArgs('-xt\nread,bash', SKILL),
    marks: ['read,bash'],
    good: [piArgs('-xt\nread', SKILL)],
  },
  {
    rule: 'skills-switched-off',
    bad: piArgs('-ns', SKILL),
    marks: ['-ns'],
    good: [
      piArgs('--no-skills'),
      piArgs('--no-prompt-templates', SKILL),
      piArgs('-ns\n--skill\nskills/git-summary', SKILL),
    ],
  },
  {
    rule: 'extensions-switched-off',
    bad: piArgs('-ne', SAY),
    marks: ['-ne'],
    good: [
      piArgs('-ne'),
      piArgs('--no-skills', SAY),
      piArgs('--no-extensions', SAY_OFF),
      piArgs('-ne\n-e\nextensions/say.ts', SAY),
    ],
  },
]);

const checkOf = (rule: string) => (text: string) => checkAgent(piArgs(text), rule);

test('fixes of pi-args pass their rule and keep everything else', () => {
  expectFix(
    checkOf('pi-args-equals-sign'),
    '# a=b\n\n--tools=read,grep\n--offline\n',
    '# a=b\n\n--tools\nread,grep\n--offline\n',
  );
  expectFix(
    checkOf('pi-args-quotes'),
    `--tools "read","bash"\n\n"--no-skills"\n'--provider'\n"anthropic"\n`,
    '--tools read,bash\n\n--no-skills\n--provider\nanthropic\n',
  );
  expectFix(
    checkOf('pi-args-spaces'),
    '# note  \n\n  --model\t\n\tlocal/qwen\n',
    '# note  \n\n--model\nlocal/qwen\n',
  );
  expectFix(
    checkOf('pi-args-comment'),
    '--no-tools  # chat only\n \t# more\n',
    '# chat only\n--no-tools\n# more\n',
  );
  expectFix(checkOf('pi-args-unknown-flag'), '--tool\nread\n', '--tools\nread\n');
  expectFix(checkOf('pi-args-bad-value'), '--thinking\nmedum\n', '--thinking\nmedium\n');
});

test('all safe fixes of a pi-args at once leave a file without problems', () => {
  const before = '  --tools=read,grep --no-session\n';
  const all = (text: string) => checkAgent(piArgs(text)).filter(({ fix }) => fix?.safe);
  let text = before;
  for (let round = 0; round < 3 && all(text).length > 0; round++) text = fixed(text, all(text));
  expect(text).toBe('--tools\nread,grep\n--no-session\n');
});
