import { BUILT_IN_TOOLS, MCP_RESOURCE_TOOLS } from '../../../pi/flags.ts';
import { interpretationLimit } from '../../../pi/interpret.ts';
import { mcpSecretPaths, variableInstead } from '../../../pi/mcp-secrets.ts';
import { findSecrets } from '../../../pi/secrets.ts';
import { type JsonDocument, nodeAt, rangeOf, type TextRange } from '../../../shared/json-document.ts';
import { isInsideWorkspace } from '../../../shared/run-command.ts';
import { isFormFile } from '../../platform/may-read.ts';
import { nearestName } from '../../platform/nearest-name.ts';
import { providersIn } from '../../platform/pi-schemas.ts';
import { quoted } from '../../platform/words.ts';
import { aboutShown, aboutSkillTokens, aboutTokens } from '../about-tokens.ts';
import { agentMdTools, readsAgentMd } from '../agent-md.ts';
import type { AgentContext } from '../context.ts';
import { usableSkills } from '../entries-of-agent.ts';
import { customProviderOf, knownModels, modelReferences } from '../models.ts';
import { lastUse, rangeOfArg, registered } from '../pi-args-of-agent.ts';
import { agentRule, type Rule, type RuleFinding } from '../rule.ts';
import { CHECKED_FILES, type CheckedFile, textOf } from '../snapshot.ts';

/** Why a file can't be read. A link that points outside the root isn't a problem, because it's the author's choice. */
const UNREADABLE = {
  'not-a-file': { is: 'isn’t a regular file', so: 'Replace it with a text file.' },
  'too-large': { is: 'is larger than 2 MiB', so: 'Replace it with a shorter file.' },
  'not-text': { is: 'isn’t UTF-8 text, or contains NUL bytes', so: 'Replace it with a text file.' },
  outside: undefined,
  unreadable: { is: 'can’t be read', so: 'Give yourself permission to read it.' },
} as const;

/** Why dot-mi checks only part of a file that it reads. */
const limitOf = ({ agent, json }: AgentContext, file: CheckedFile): string | undefined => {
  const limit = interpretationLimit(file, textOf(agent.files[file]) ?? '');
  if (limit !== undefined || !isFormFile(file)) return limit;
  const document = json(file);
  return document && !document.root && !document.error
    ? 'is longer than 256 KiB or nested too deeply'
    : undefined;
};

const fileUnreadable = agentRule({
  id: 'file-unreadable',
  severity: 'warning',
  topic: 'files',
  title: 'dot-mi can’t read this file',
  why: 'dot-mi reads UTF-8 text files of up to 2 MiB, and checks JSON files of up to 256 KiB. It can’t check or edit other files, or count their tokens. pi may read this one in full, or fail. Replace it with a UTF-8 text file of at most 2 MiB.',
  *check(context) {
    for (const file of CHECKED_FILES) {
      const state = context.agent.files[file];
      const problem = state.kind === 'refused' ? UNREADABLE[state.problem] : undefined;
      const limit = limitOf(context, file);
      if (limit) yield { file, message: `${file} ${limit}, so dot-mi can’t check all of it. Shorten it.` };
      if (problem === undefined) continue;
      yield {
        file,
        message: `${file} ${problem.is}, so dot-mi can’t check it or count its tokens. ${problem.so}`,
      };
    }
  },
});

const systemMdEmpty = agentRule({
  id: 'system-md-empty',
  severity: 'warning',
  topic: 'files',
  title: 'SYSTEM.md is empty',
  why: 'pi treats an empty SYSTEM.md as missing and uses its own coding prompt. A file with only whitespace counts as a prompt, so pi starts without instructions. Write a prompt, or delete the file to use pi’s own.',
  *check(context) {
    // Use the entire file, because the start of a long one may be blank.
    const file = context.agent.files['SYSTEM.md'];
    if (file.kind !== 'text' || lastUse(context, '--system-prompt')) return;
    const text = file.text.replace(/^\uFEFF/, '');
    if (text.trim() !== '') return;
    yield {
      file: 'SYSTEM.md',
      message:
        text === ''
          ? 'SYSTEM.md is empty, so pi uses its own prompt. Write a prompt, or delete the file.'
          : 'SYSTEM.md has only whitespace, so pi starts without instructions. Write a prompt, or delete the file.',
    };
  },
});

const REPLACING_FLAGS = [
  ['--system-prompt', 'SYSTEM.md'],
  ['--append-system-prompt', 'APPEND_SYSTEM.md'],
] as const;

const promptShadowed = agentRule({
  id: 'prompt-shadowed',
  severity: 'warning',
  topic: 'files',
  title: 'Argument replaces this prompt file',
  why: 'With --system-prompt, pi doesn’t read SYSTEM.md. With --append-system-prompt, it doesn’t read APPEND_SYSTEM.md. Keep either the flag or the file.',
  *check(context) {
    for (const [flag, file] of REPLACING_FLAGS) {
      const use = lastUse(context, flag);
      if (!use?.value || !context.text(file)?.text.trim()) continue;
      yield {
        file: 'pi-args',
        ...rangeOfArg(use.arg),
        message: `Because of ${flag}, pi doesn’t read ${file}. Remove one of the two.`,
      };
    }
  },
});

/** The factor by which an estimate can be too high. */
const PROMPT_MARGIN = 1.2;

const promptTooLarge = agentRule({
  id: 'prompt-too-large',
  severity: 'error',
  topic: 'files',
  title: 'Prompt exceeds the context window',
  why: 'The provider refuses a call if the prompt alone exceeds the model’s context window. dot-mi uses the window in models.json, or 128,000 tokens.',
  *check(context) {
    const known = knownModels(context);
    const [reference] = modelReferences(context, known);
    const custom = reference && customProviderOf(known, reference);
    if (!reference || custom === undefined) return;
    const [, provider] =
      [...providersIn(context.json('models.json')?.value)].find(([name]) => name.toLowerCase() === custom) ??
      [];
    const model = provider?.models?.find(({ id }) => id.toLowerCase() === reference.id);
    if (!model) return;
    const window = model.contextWindow;
    const textOf = (name: 'SYSTEM.md' | 'APPEND_SYSTEM.md') => {
      // Use the entire file, because other rules see only the start of a long one.
      const file = context.agent.files[name];
      return file.kind === 'text' ? file.text : '';
    };
    const skills = lastUse(context, '--no-skills')
      ? []
      : [
          ...usableSkills(context).map(({ facts }) => facts),
          ...context.facts.userSkills.filter(({ isHidden }) => !isHidden),
        ];
    const tokens =
      aboutTokens(textOf('SYSTEM.md')) + aboutTokens(textOf('APPEND_SYSTEM.md')) + aboutSkillTokens(skills);
    if (tokens <= window * PROMPT_MARGIN) return;
    yield {
      file: 'SYSTEM.md',
      message: `The prompt has ${aboutShown(tokens)}, but ${quoted(model.id)} accepts ${window.toLocaleString('en-US')}. Shorten it, or choose another model. The Preview tab counts the tokens.`,
    };
  },
});

const agentMdUnread = agentRule({
  id: 'agent-md-unread',
  severity: 'warning',
  topic: 'files',
  title: 'Nothing reads AGENT.md',
  why: 'Only the extension agent-prompt.ts reads AGENT.md. If the agent doesn’t link this extension, the tools, model and text in AGENT.md have no effect. Link the extension, or delete AGENT.md.',
  *check(context) {
    if (context.agent.files['AGENT.md'].kind !== 'text') return;
    if (readsAgentMd(context)) return;
    yield {
      file: 'AGENT.md',
      message: lastUse(context, '--no-extensions')
        ? 'Nothing reads AGENT.md, because --no-extensions disables all linked extensions. Remove the flag, or delete the file.'
        : 'Nothing reads AGENT.md. Link the extension agent-prompt.ts, or delete the file.',
    };
  },
});

const agentMdIgnoredKey = agentRule({
  id: 'agent-md-ignored-key',
  severity: 'error',
  topic: 'files',
  title: 'Key in AGENT.md has no effect',
  why: 'agent-prompt.ts reads "tools" as a comma-separated list on one line, and "model" as provider/id. It ignores anything else, so an agent that should be read-only keeps all its tools.',
  *check(context): Iterable<RuleFinding> {
    const content = context.text('AGENT.md');
    const read = context.agentMd();
    if (!content || !read || !readsAgentMd(context)) return;
    if (read.diagnostics.some(({ rule }) => rule === 'frontmatter-unclosed')) {
      const [first] = content.lines;
      yield {
        file: 'AGENT.md',
        start: first?.start ?? 0,
        end: first?.end ?? 0,
        message:
          'The "---" on the first line is never closed, so nothing in AGENT.md applies. Add a closing "---" line.',
      };
    }
    const tools = read.places.get('tools')?.value;
    if (tools) {
      const text = content.text.slice(tools.start, tools.end).trim();
      const isList = typeof read.data.tools === 'string' || Array.isArray(read.data.tools);
      if (!isList || text === '' || text.includes('\n')) {
        yield {
          file: 'AGENT.md',
          ...tools,
          message:
            '"tools" must be a comma-separated list on one line. Until you correct this, the agent keeps all its tools.',
        };
      }
    }
    const model = read.places.get('model')?.value;
    if (model) {
      const { data } = read;
      if (typeof data.model === 'string' && /^[^/\s]+\/\S+$/.test(data.model.trim())) return;
      yield {
        file: 'AGENT.md',
        ...model,
        message:
          '"model" must have the form provider/id, such as anthropic/claude-sonnet-5. Until you correct this, it has no effect.',
      };
    }
  },
});

interface NamedTool {
  readonly file: 'pi-args' | 'AGENT.md';
  readonly name: string;
  readonly start: number;
}

/** Returns the names in a comma-separated list, with their positions. */
const namesIn = (file: NamedTool['file'], text: string, from: number): NamedTool[] =>
  Array.from(text.matchAll(/[^,\s"'[\]]+/g), ({ 0: name, index }) => ({ file, name, start: from + index }));

const namedTools = (context: AgentContext): NamedTool[] => {
  const value = lastUse(context, '--tools')?.value;
  const inArgs = value ? namesIn('pi-args', value.text, rangeOfArg(value).start) : [];
  const field = agentMdTools(context);
  const agentMd = context.text('AGENT.md')?.text ?? '';
  const inFile = field
    ? namesIn('AGENT.md', agentMd.slice(field.place.start, field.place.end), field.place.start)
    : [];
  return [
    ...inArgs.map((tool) => {
      const isChange = /^[+-]/.test(tool.name);
      return isChange ? { ...tool, name: tool.name.slice(1), start: tool.start + 1 } : tool;
    }),
    ...inFile.filter(({ name }) => field?.value.includes(name)),
  ];
};

const toolUnknown = agentRule({
  id: 'tool-unknown',
  severity: 'warning',
  topic: 'files',
  title: 'Tool doesn’t exist',
  why: 'pi ignores the name of a tool that neither pi nor a linked extension has. The agent then works without it. If an agent loads code that dot-mi can’t read, this check reports only misspellings of pi’s own tools.',
  *check(context): Iterable<RuleFinding> {
    const added = registered(context, 'tools');
    const known = new Set<string>([...BUILT_IN_TOOLS, ...MCP_RESOURCE_TOOLS, ...added.names]);
    for (const { file, name, start } of namedTools(context)) {
      // This rule doesn't know MCP servers' tools, or what patterns match.
      if (known.has(name) || name === '' || name.includes('*') || name.startsWith('mcp__')) continue;
      const near = nearestName(name, known);
      if (!near && !added.isComplete) continue;
      const range = { start, end: start + name.length };
      yield {
        file,
        ...range,
        message: `No tool is called ${quoted(name)}. ${
          near ? `Did you mean "${near}"?` : 'Remove it, or link the extension that has it.'
        }`,
        ...(near
          ? { fix: { title: `Change it to "${near}"`, safe: false, edits: [{ ...range, text: near }] } }
          : {}),
      };
    }
  },
});

const workspaceConfPath = agentRule({
  id: 'workspace-conf-path',
  severity: 'warning',
  topic: 'files',
  title: 'Directory is outside the workspace',
  why: 'Each line of workspace.conf names a directory in a run’s new workspace. An absolute path, or one with "..", is outside the workspace. dot-mi ignores it, but other launchers create it.',
  *check({ text }) {
    for (const line of text('workspace.conf')?.lines ?? []) {
      const path = line.text.trim();
      if (path === '' || path.startsWith('#') || isInsideWorkspace(path)) continue;
      const start = line.start + line.text.indexOf(path);
      yield {
        file: 'workspace.conf',
        start,
        end: start + path.length,
        message: `${quoted(path)} is outside the workspace. Write a relative path without "..".`,
      };
    }
  },
});

/** Advice about a secret, by file. */
const SECRET_ADVICE = {
  'models.json': 'Write "$NAME" to read it from an environment variable, or log in with /login.',
  'mcp.json': 'Write "$NAME" to read it from an environment variable.',
  'settings.json': 'Remove it, and log in with /login.',
  'SYSTEM.md': 'Each call sends it to the model. Remove it.',
  'APPEND_SYSTEM.md': 'Each call sends it to the model. Remove it.',
  'AGENT.md': 'Each call sends it to the model. Remove it.',
} as const;

/** Yields the named secrets in an mcp.json, with text to replace them. */
function* mcpSecrets(
  document: JsonDocument | undefined,
): Generator<TextRange & { readonly instead: string | undefined }> {
  const servers = (document?.value as { mcpServers?: object } | null | undefined)?.mcpServers;
  if (typeof servers !== 'object' || servers === null) return;
  for (const [name, server] of Object.entries(servers)) {
    for (const path of mcpSecretPaths(server)) {
      const node = nodeAt(document?.root, ['mcpServers', name, ...path]);
      if (node?.type !== 'String') continue;
      const { start, end } = rangeOf(node);
      // The range excludes the quotes.
      yield { start: start + 1, end: end - 1, instead: variableInstead(name, path, node.value) };
    }
  }
}

const secretInFile = agentRule({
  id: 'secret-in-file',
  severity: 'warning',
  topic: 'files',
  title: 'File contains a secret',
  why: 'Secrets in an agent’s files are easily committed, shared and copied with the agent. Every call sends the prompt to the model’s provider. dot-mi finds secrets in the formats of well-known services, and values in mcp.json whose names suggest a secret. This check’s messages never contain them.',
  *check({ text, json }) {
    for (const [file, advice] of Object.entries(SECRET_ADVICE)) {
      const content = text(file as keyof typeof SECRET_ADVICE);
      if (!content) continue;
      for (const { kind, start, end } of findSecrets(content.text)) {
        yield { file, start, end, message: `${kind} is in ${file}. ${advice}` };
      }
    }
    const found = [...findSecrets(text('mcp.json')?.text ?? '')];
    for (const { start, end, instead } of mcpSecrets(json('mcp.json'))) {
      if (found.some((one) => one.start < end && one.end > start)) continue;
      const advice = instead
        ? `Put it in an environment variable, and write ${quoted(instead)} here.`
        : 'pi doesn’t replace variables here. Pass the secret in a header or in "env" instead, and write "$NAME" there.';
      yield { file: 'mcp.json', start, end, message: `A secret is in mcp.json. ${advice}` };
    }
  },
});

/** Rules about the prompt files, AGENT.md and workspace.conf. */
export const promptFileRules: readonly Rule[] = [
  fileUnreadable,
  systemMdEmpty,
  promptShadowed,
  promptTooLarge,
  agentMdUnread,
  agentMdIgnoredKey,
  toolUnknown,
  workspaceConfPath,
  secretInFile,
];
