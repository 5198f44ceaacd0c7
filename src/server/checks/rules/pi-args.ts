import { PI_FLAGS, piFlag } from '../../../pi/flags.ts';
import type { PiArg, PiArgsLine, PiArgUse } from '../../../pi/pi-args.ts';
import { findSecrets } from '../../../pi/secrets.ts';
import type { TextLine } from '../../../shared/checked-text.ts';
import { nearestName } from '../../platform/nearest-name.ts';
import { counted, listed, quoted } from '../../platform/words.ts';
import { chosenTools } from '../chosen-tools.ts';
import type { AgentContext } from '../context.ts';
import { linkedExtensions, linkedSkills, usableSkills } from '../entries-of-agent.ts';
import { hasQuotes, lastUse, rangeOfArg, registered } from '../pi-args-of-agent.ts';
import { agentRule, type Rule } from '../rule.ts';

const LONG_FLAGS = PI_FLAGS.map(({ name }) => name).filter((name) => name !== '--');

const piArgsUnknownFlag = agentRule({
  id: 'pi-args-unknown-flag',
  severity: 'error',
  topic: 'pi-args',
  title: 'pi doesn’t recognize this flag',
  why: 'pi exits with an error if it doesn’t recognize a flag. The flags of linked extensions count as known. If an agent loads packages or code that dot-mi can’t read, this check reports only misspellings of pi’s own flags.',
  *check(context) {
    const flags = registered(context, 'flags');
    const known = new Set([...LONG_FLAGS, ...Array.from(flags.names, (name) => `--${name}`)]);
    for (const use of context.piArgs()) {
      const { arg } = use;
      const place = { file: 'pi-args', ...rangeOfArg(arg) };
      if (use.kind === 'unknown_short') {
        yield { ...place, message: `pi has no flag ${quoted(arg.text)}, so it exits with an error.` };
        continue;
      }
      // The rule about "=" covers pi's own flags.
      if (use.kind !== 'other_flag' || known.has(`--${use.name}`)) continue;
      const near = nearestName(`--${use.name}`, known);
      if (!near && !flags.isComplete) continue;
      yield {
        ...place,
        message: `pi doesn’t recognize ${quoted(arg.text)} and exits with an error. ${
          near ? `Did you mean ${near}?` : 'Remove it, or link the extension that registers it.'
        }`,
        ...(near && use.inlineValue === undefined
          ? {
              fix: {
                title: `Change it to ${near}`,
                safe: false,
                edits: [{ ...rangeOfArg(arg), text: near }],
              },
            }
          : {}),
      };
    }
  },
});

const piArgsEqualsSign = agentRule({
  id: 'pi-args-equals-sign',
  severity: 'error',
  topic: 'pi-args',
  title: 'pi doesn’t accept a flag with "="',
  why: 'pi reads "--model=name" as an unknown flag and exits with an error. The value belongs on the next line.',
  *check({ piArgs }) {
    for (const use of piArgs()) {
      if (use.kind !== 'other_flag' || use.inlineValue === undefined) continue;
      const flag = piFlag(`--${use.name}`);
      if (!flag) continue;
      const { start, end } = rangeOfArg(use.arg);
      const equals = start + flag.name.length;
      const takesValue = flag.value !== undefined && use.inlineValue !== '';
      yield {
        file: 'pi-args',
        start,
        end,
        message: `pi doesn’t accept "=" after ${flag.name}. ${
          takesValue ? 'Put the value on the next line.' : 'Remove "=" and the value.'
        }`,
        // pi refuses to start with this argument, so the fix changes nothing that works.
        ...(takesValue
          ? {
              fix: {
                title: 'Put the value on the next line',
                safe: true,
                edits: [{ start: equals, end: equals + 1, text: '\n' }],
              },
            }
          : {}),
      };
    }
  },
});

/** Flags that accept any text as their value, including text that begins with a dash. */
const TEXT_FLAGS = new Set(['--system-prompt', '--append-system-prompt', '--name']);

const piArgsMissingValue = agentRule({
  id: 'pi-args-missing-value',
  severity: 'error',
  topic: 'pi-args',
  title: 'Flag has no value',
  why: 'Most flags that need a value use the next argument, even if it is a flag. A flag on the last line of pi-args uses the first argument that you add to the run command. Without one, pi exits with an error.',
  *check({ piArgs }) {
    for (const use of piArgs()) {
      if (use.kind !== 'flag' || use.flag.value === undefined || use.flag.value === 'optional') continue;
      const { arg, flag, value } = use;
      const isFlag = value?.text.startsWith('-') && !TEXT_FLAGS.has(flag.name);
      if (value && !isFlag) continue;
      yield {
        file: 'pi-args',
        ...rangeOfArg(arg),
        message: value
          ? `${arg.text} needs a value, so pi uses the next argument, ${quoted(value.text)}. Add the value on the line after ${arg.text}.`
          : `${arg.text} needs a value. Add it on the next line.`,
      };
    }
  },
});

/** A word, or several words of a line, in quotes. */
interface QuotedWords {
  readonly first: PiArg;
  readonly last: PiArg;
}

function* quotedIn({ args }: PiArgsLine): Generator<QuotedWords> {
  for (let at = 0; at < args.length; at++) {
    const first = args[at] as PiArg;
    const [, quote] = /^(["'])/.exec(first.text) ?? [];
    if (quote === undefined) {
      // Such as read,"bash".
      if (hasQuotes(first.text)) yield { first, last: first };
      continue;
    }
    const end = args.findIndex(
      ({ text }, index) => index >= at && text.endsWith(quote) && (index > at || text.length > 1),
    );
    const last = args[end];
    if (!last) continue;
    yield { first, last };
    at = end;
  }
}

/** Where to write a text that a flag can't have. */
const TEXT_FILES: Readonly<Record<string, string>> = {
  '--system-prompt': 'SYSTEM.md',
  '--append-system-prompt': 'APPEND_SYSTEM.md',
};

/** Returns what to do about a value that contains spaces. */
const insteadOfSpaces = (flag: string | undefined): string => {
  const file = flag && TEXT_FILES[flag];
  return file ? `Put the text into ${file}, and remove ${flag}.` : 'Write it without spaces and quotes.';
};

/** What happens because of the quotes around one word. */
const effectOfQuotes = (use: PiArgUse | undefined, inner: string): string => {
  const name = use?.kind === 'flag' ? use.flag.name : undefined;
  if (name === '--tools') return 'so this agent doesn’t get these tools';
  if (name === '--provider' || name === '--model') return 'so pi doesn’t find it and exits';
  if (use?.kind === 'flag' && use.flag.values) return 'so pi doesn’t accept it';
  if (name !== undefined) return 'so they become part of the value';
  return inner.startsWith('-')
    ? 'so it isn’t a flag: each run starts by sending it to the model'
    : 'so each run sends them to the model';
};

const piArgsQuotes = agentRule({
  id: 'pi-args-quotes',
  severity: 'error',
  topic: 'pi-args',
  title: 'pi takes the quotes literally',
  why: 'pi-args isn’t a shell script, so quotes have no meaning in it. pi looks for tools with quotes in their names, or sends a flag in quotes as a message. Each word is an argument, so no value can contain spaces.',
  *check({ piArgs, piArgsLines }) {
    const uses = new Map(piArgs().map((use) => [('value' in use && use.value) || use.arg, use]));
    for (const line of piArgsLines()) {
      for (const { first, last } of quotedIn(line)) {
        const use = uses.get(first);
        const place = { file: 'pi-args', start: first.offset, end: rangeOfArg(last).end };
        if (first !== last) {
          const flag = use?.kind === 'flag' ? use.flag.name : undefined;
          const count = line.args.indexOf(last) - line.args.indexOf(first) + 1;
          yield {
            ...place,
            message: `pi ignores these quotes, and receives ${count} arguments. ${insteadOfSpaces(flag)}`,
          };
          continue;
        }
        const inner = first.text.replaceAll(/(^|[=,])(["'])([^"']*)\2/g, '$1$3').replaceAll(/["']/g, '');
        const canFix = inner !== '' && !inner.startsWith('#') && !(use?.kind === 'other_flag');
        yield {
          ...place,
          message: `pi takes the quotes in ${quoted(first.text)} literally, ${effectOfQuotes(use, inner)}. Remove the quotes.`,
          ...(canFix
            ? {
                fix: {
                  title: 'Remove the quotes',
                  safe: false,
                  edits: [{ ...rangeOfArg(first), text: inner }],
                },
              }
            : {}),
        };
      }
    }
  },
});

const piArgsBadValue = agentRule({
  id: 'pi-args-bad-value',
  severity: 'error',
  topic: 'pi-args',
  title: 'Flag doesn’t accept this value',
  why: 'pi ignores an unknown thinking level. For an unknown mode or an invalid list of tools, it exits with an error. Since pi 1.5, --tools is either a list of names, or a list of changes such as "+grep,-write".',
  *check({ piArgs }) {
    for (const use of piArgs()) {
      if (use.kind !== 'flag' || !use.value || use.value.text.startsWith('-')) continue;
      const { flag, value } = use;
      // Another rule covers quotes.
      if (hasQuotes(value.text)) continue;
      const place = { file: 'pi-args', ...rangeOfArg(value) };
      if (flag.values && !flag.values.includes(value.text)) {
        const near = nearestName(value.text, flag.values);
        yield {
          ...place,
          message: `${flag.name} doesn’t accept ${quoted(value.text)}. Use ${listed(flag.values).replace(' and ', ' or ')}.`,
          ...(near
            ? {
                fix: {
                  title: `Change it to "${near}"`,
                  safe: false,
                  edits: [{ ...rangeOfArg(value), text: near }],
                },
              }
            : {}),
        };
      }
      if (flag.name !== '--tools') continue;
      const names = value.text.split(',').filter((name) => name !== '');
      const changes = names.filter((name) => /^[+-]/.test(name)).length;
      if (changes > 0 && changes < names.length) {
        yield {
          ...place,
          message: '--tools mixes names with changes such as "+name". Use only names, or only changes.',
        };
      }
    }
  },
});

const piArgsComment = agentRule({
  id: 'pi-args-comment',
  severity: 'error',
  topic: 'pi-args',
  title: 'Comment isn’t on its own line',
  why: 'Only a line that starts with "#" is a comment. Otherwise pi receives the words of the comment as its first message, or as the value of a flag.',
  *check({ text, piArgsLines }) {
    const content = text('pi-args')?.text ?? '';
    for (const { number, args } of piArgsLines()) {
      const mark = args.find((arg) => arg.text.startsWith('#'));
      const first = args[0];
      const last = args.at(-1);
      if (!mark || !first || !last) continue;
      const { start } = rangeOfArg(mark);
      const { end } = rangeOfArg(last);
      const before = args[args.indexOf(mark) - 1];
      const lineStart = first.offset - first.column + 1;
      yield {
        file: 'pi-args',
        start,
        end,
        message: `pi receives the comment on line ${number} as arguments. Put it on a line of its own that starts with "#".`,
        fix: before
          ? {
              title: 'Move the comment to its own line above',
              safe: false,
              edits: [
                { start: lineStart, end: lineStart, text: `${content.slice(start, end)}\n` },
                { start: rangeOfArg(before).end, end, text: '' },
              ],
            }
          : { title: 'Remove the spaces', safe: false, edits: [{ start: lineStart, end: start, text: '' }] },
      };
    }
  },
});

/** Returns the flag whose text continues after its first word, on the same line. */
const textWithSpaces = (uses: readonly PiArgUse[], args: readonly PiArg[]) => {
  for (const [index, use] of uses.entries()) {
    const next = uses[index + 1];
    if (use.kind !== 'flag' || !use.value || !TEXT_FLAGS.has(use.flag.name) || next?.kind !== 'message')
      continue;
    if (args.includes(use.value) && args.includes(next.arg))
      return { flag: use.flag.name, value: use.value.text };
  }
  return undefined;
};

const piArgsSeveralTokens = agentRule({
  id: 'pi-args-several-tokens',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Line has several arguments',
  why: 'bash splits a line of pi-args at its spaces, but zsh passes it as one argument. One argument on each line works with every launcher.',
  *check({ piArgs, piArgsLines }) {
    for (const line of piArgsLines()) {
      const { number, args } = line;
      const [first] = args;
      const last = args.at(-1);
      // Other rules cover comments in the wrong place, and quotes.
      if (!first || !last || args.length < 2 || args.some(({ text }) => text.startsWith('#'))) continue;
      if ([...quotedIn(line)].some((words) => words.first !== words.last)) continue;
      const text = textWithSpaces(piArgs(), args);
      if (text) {
        yield {
          file: 'pi-args',
          start: first.offset,
          end: rangeOfArg(last).end,
          message: `pi reads only ${quoted(text.value)} as the value of ${text.flag}, and sends the rest to the model. ${insteadOfSpaces(text.flag)}`,
        };
        continue;
      }
      yield {
        file: 'pi-args',
        start: first.offset,
        end: last.offset + last.text.length,
        message: `Line ${number} has ${args.length} arguments. Put each on its own line, because some launchers pass a whole line as one argument.`,
        fix: {
          title: 'Put each argument on its own line',
          safe: true,
          edits: args.slice(1).map((arg, index) => {
            const before = args[index] ?? arg;
            return { start: before.offset + before.text.length, end: arg.offset, text: '\n' };
          }),
        },
      };
    }
  },
});

const outerSpaces = ({ text, start, end }: TextLine) => {
  const before = text.length - text.trimStart().length;
  const after = text.length - text.trimEnd().length;
  return [
    { start, end: start + before },
    { start: end - after, end },
  ].filter((range) => range.end > range.start);
};

const piArgsSpaces = agentRule({
  id: 'pi-args-spaces',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Argument has spaces around it',
  why: 'bash drops the spaces around an argument, but zsh passes them to pi, which then doesn’t recognize the flag. A "#" after spaces doesn’t start a comment.',
  *check({ text }) {
    for (const line of text('pi-args')?.lines ?? []) {
      const trimmed = line.text.trim();
      // A comment can end with spaces. An indented "#" isn't a comment, and has its own rule.
      if (trimmed === '' || trimmed.startsWith('#')) continue;
      const ranges = outerSpaces(line);
      const [first] = ranges;
      if (!first) continue;
      yield {
        file: 'pi-args',
        ...first,
        message: `Line ${line.number} has spaces around its argument. Remove them, because some launchers pass them to pi.`,
        fix: {
          title: 'Remove the spaces',
          safe: true,
          edits: ranges.map((range) => ({ ...range, text: '' })),
        },
      };
    }
  },
});

const piArgsGlob = agentRule({
  id: 'pi-args-glob',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Argument contains a wildcard',
  why: 'A launcher written in bash replaces an argument that contains *, ? or [ with the names of matching files. The agent then starts differently in different directories.',
  *check({ piArgsLines }) {
    for (const arg of piArgsLines().flatMap(({ args }) => args)) {
      if (!/[*?[]/.test(arg.text)) continue;
      yield {
        file: 'pi-args',
        ...rangeOfArg(arg),
        message: `Some launchers replace ${quoted(arg.text)} with the names of matching files. Write the value without *, ? and [, if you can.`,
      };
    }
  },
});

const SECRET_ADVICE = 'Remove it, and log in with /login or use an environment variable.';

const piArgsSecret = agentRule({
  id: 'pi-args-secret',
  severity: 'warning',
  topic: 'pi-args',
  title: 'pi-args contains a secret',
  why: 'Other users of this computer can see the arguments of a running program, and pi-args is easily shared or committed. After /login, pi keeps keys in auth.json. It can also read keys from environment variables.',
  *check({ piArgs, text }) {
    let next = 0;
    const flags = piArgs().filter(
      (use) =>
        (use.kind === 'flag' && use.flag.name === '--api-key') ||
        (use.kind === 'other_flag' && use.name === 'api-key'),
    );
    const reported = flags.map((use) => {
      const last = 'value' in use && use.value ? use.value : use.arg;
      return { start: use.arg.offset, end: rangeOfArg(last).end };
    });
    for (const range of reported) {
      yield {
        file: 'pi-args',
        ...range,
        message: `--api-key shows the key to other users of this computer. ${SECRET_ADVICE}`,
      };
    }
    // Check comments too, because they're shared and committed with the file.
    for (const { kind, ...range } of findSecrets(text('pi-args')?.text ?? '')) {
      while ((reported[next]?.end ?? Number.POSITIVE_INFINITY) < range.end) next++;
      const known = reported[next];
      if (known && known.start <= range.start) continue;
      yield { file: 'pi-args', ...range, message: `${kind} is in pi-args. ${SECRET_ADVICE}` };
    }
  },
});

/** What a flag does to every run. */
const EFFECTS: Readonly<Record<string, string>> = {
  '--print': 'runs are no longer interactive',
  '--mode': 'runs are no longer interactive',
  '--export': 'each run exports a session and ends',
  '--list-models': 'each run lists the models and ends',
  '--help': 'each run shows the help and ends',
  '--version': 'each run shows the version and ends',
};

const piArgsEveryRun = agentRule({
  id: 'pi-args-every-run',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Flag is meant for a single run',
  why: 'pi-args applies to every run of the agent. Type a flag such as --print or --help only when you need it.',
  *check({ piArgs }) {
    for (const use of piArgs()) {
      const effect = use.kind === 'flag' ? EFFECTS[use.flag.name] : undefined;
      if (effect === undefined) continue;
      const { arg } = use;
      yield {
        file: 'pi-args',
        ...rangeOfArg(arg),
        message: `With ${arg.text} in pi-args, ${effect}. Remove it, and type it when you need it.`,
      };
    }
  },
});

const piArgsApprove = agentRule({
  id: 'pi-args-approve',
  severity: 'warning',
  topic: 'pi-args',
  title: '--approve trusts every directory',
  why: 'With --approve, pi loads settings, extensions and prompts from .pi in every directory where the agent starts. A repository that you only wanted to read could run its code.',
  *check(context) {
    const use = lastUse(context, '--approve');
    if (!use) return;
    yield {
      file: 'pi-args',
      ...rangeOfArg(use.arg),
      message: `${use.arg.text} trusts the .pi directory of every directory in which this agent starts. Remove it, and answer pi when it asks whether to trust a directory.`,
    };
  },
});

const piArgsNoSession = agentRule({
  id: 'pi-args-no-session',
  severity: 'hint',
  topic: 'pi-args',
  title: '--no-session hides what the agent spends',
  why: 'dot-mi calculates an agent’s spending from its session files. With --no-session, pi doesn’t write any.',
  *check(context) {
    const use = lastUse(context, '--no-session');
    if (!use) return;
    yield {
      file: 'pi-args',
      ...rangeOfArg(use.arg),
      message: 'With --no-session, dot-mi can’t see what this agent spends.',
    };
  },
});

const skillsUnreadable = agentRule({
  id: 'skills-unreadable',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Agent has no tool to read its skills',
  why: 'The model reads a skill with the tool "read" or "bash". If the agent has neither, pi leaves the skills out of the prompt. pi 0.73 needs "read".',
  *check(context) {
    const skills = usableSkills(context);
    const { tools, place } = chosenTools(context);
    if (skills.length === 0 || !place) return;
    if (tools.has('read') || tools.has('bash')) return;
    yield {
      ...place,
      message: `This agent has ${counted(skills.length, 'skill')}, but neither "read" nor "bash" to read them. Add "read", or unlink the skills.`,
    };
  },
});

/** Makes the rule for `--no-skills` or `--no-extensions`. */
const switchedOff = (what: 'skill' | 'extension', countOf: (context: AgentContext) => number, effect = '') =>
  agentRule({
    id: `${what}s-switched-off`,
    severity: 'warning',
    topic: 'pi-args',
    title: `--no-${what}s disables the linked ${what}s`,
    why: `With --no-${what}s, pi loads only ${what}s that you list with --${what}. This agent lists none. ${effect}Remove the flag, list the ${what}s, or unlink them.`,
    *check(context) {
      const use = lastUse(context, `--no-${what}s`);
      const count = countOf(context);
      if (!use || count === 0 || lastUse(context, `--${what}`)) return;
      yield {
        file: 'pi-args',
        ...rangeOfArg(use.arg),
        message: `This agent has ${counted(count, what)}, but ${use.arg.text} disables them. Remove the flag, list the ${what}s with --${what}, or unlink them.`,
      };
    },
  });

/** Rules about pi-args. */
export const piArgsRules: readonly Rule[] = [
  piArgsUnknownFlag,
  piArgsEqualsSign,
  piArgsMissingValue,
  piArgsBadValue,
  piArgsQuotes,
  piArgsComment,
  piArgsSeveralTokens,
  piArgsSpaces,
  piArgsGlob,
  piArgsSecret,
  piArgsEveryRun,
  piArgsApprove,
  piArgsNoSession,
  skillsUnreadable,
  switchedOff('skill', (context) => linkedSkills(context).length),
  switchedOff(
    'extension',
    (context) => linkedExtensions(context).length,
    'So a linked budget-guard.ts or dot-mi-status.ts does nothing. ',
  ),
];
