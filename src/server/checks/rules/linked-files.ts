import { ignoreRulesIn, isIgnored } from '../../../pi/ignore-rules.ts';
import { memberOf, rangeOf } from '../../../shared/json-document.ts';
import { counted, quoted } from '../../platform/words.ts';
import { FILE_FLAGS, linkedFiles, loadedFiles } from '../entries-of-agent.ts';
import { lastUse, rangeOfArg } from '../pi-args-of-agent.ts';
import { type AgentRule, agentRule, type Rule } from '../rule.ts';
import type { AgentSnapshot, FileEntry } from '../snapshot.ts';

const filesOf = ({ prompts, themes }: AgentSnapshot): readonly FileEntry[] => [...prompts, ...themes];

/** Creates a rule about the agent's own files from the catalog's diagnostics. The catalog reports shared files. */
const ownFileRule = (rule: Omit<AgentRule, 'appliesTo' | 'topic' | 'check'>): AgentRule =>
  agentRule({
    ...rule,
    topic: 'links',
    *check({ agent }) {
      for (const { path, own = [] } of filesOf(agent)) {
        for (const found of own) if (found.rule === rule.id) yield { file: path, message: found.message };
      }
    },
  });

const promptTemplateFrontmatter = ownFileRule({
  id: 'prompt-template-frontmatter',
  severity: 'error',
  title: 'Prompt template has invalid frontmatter',
  why: 'If pi can’t parse the frontmatter of a prompt template, it doesn’t load the template, and warns at each start. Quote values that contain ": " or begin with a special character.',
});

const promptTemplateField = ownFileRule({
  id: 'prompt-template-field',
  severity: 'warning',
  title: 'pi ignores this field of the prompt template',
  why: 'pi uses "description" and "argument-hint" only if they are text. In YAML, [focus] without quotes is a list: write "[focus]".',
});

const promptTemplateName = ownFileRule({
  id: 'prompt-template-name',
  severity: 'warning',
  title: 'Prompt template can’t be called',
  why: 'The file name is the command. pi ends a command at the first space, and its built-in commands take precedence. Rename the file.',
});

const promptTemplateUnreadable = ownFileRule({
  id: 'prompt-template-unreadable',
  severity: 'warning',
  title: 'dot-mi can’t read this prompt template',
  why: 'dot-mi checks only prompt templates in the root that are UTF-8 text files of at most 2 MiB.',
});

const themeInvalid = ownFileRule({
  id: 'theme-invalid',
  severity: 'error',
  title: 'pi refuses this theme',
  why: 'pi checks a theme against its schema and resolves its variables. If one value is invalid, pi refuses the whole theme and warns at each start.',
});

const themeName = ownFileRule({
  id: 'theme-name',
  severity: 'warning',
  title: 'Theme has a reserved name',
  why: 'pi makes the theme "system" from the colors of the terminal, and ignores a file with that name. Give the theme another name.',
});

const themeUnreadable = ownFileRule({
  id: 'theme-unreadable',
  severity: 'warning',
  title: 'dot-mi can’t read this theme',
  why: 'dot-mi checks only themes in the root that are UTF-8 text files of at most 262,144 characters.',
});

const themeShadowed = agentRule({
  id: 'theme-shadowed',
  severity: 'warning',
  topic: 'links',
  title: 'Two themes have the same name',
  why: 'If two themes have the same name, pi keeps the one whose file name sorts first. It warns at each start. Change "name" in one of the files.',
  *check(context) {
    const winners = new Map<string, string>();
    for (const { path, loadedAs = '' } of loadedFiles(context, 'themes')) {
      const winner = winners.get(loadedAs);
      if (winner === undefined) winners.set(loadedAs, path);
      else
        yield {
          file: path,
          message: `pi never uses this theme, because ${winner} has the same name, ${quoted(loadedAs)}. Change "name" in one of the files.`,
        };
    }
  },
});

const BUILT_IN_THEMES = ['system', 'dark', 'light'];

/** Returns whether themes can come from outside the agent's directory. */
const hasOtherThemes = (settings: object): boolean => 'packages' in settings || 'themes' in settings;

const themeMissing = agentRule({
  id: 'theme-missing',
  severity: 'hint',
  topic: 'links',
  title: 'Selected theme is missing',
  why: 'If pi doesn’t find the theme that settings.json selects, it silently uses "system". A theme may also come from an extension or from the working directory. Link the theme, or select another one.',
  *check(context) {
    const { root, value } = context.json('settings.json') ?? {};
    const node = memberOf(root, 'theme')?.value;
    if (node?.type !== 'String' || typeof value !== 'object' || value === null) return;
    if (hasOtherThemes(value) || lastUse(context, '--theme')) return;
    const known = new Set([
      ...BUILT_IN_THEMES,
      ...loadedFiles(context, 'themes').map(({ loadedAs }) => loadedAs),
    ]);
    // A value can name two themes: one for light terminals and one for dark ones.
    const missing = node.value.split('/').find((name) => !known.has(name.trim()));
    if (missing === undefined) return;
    yield {
      file: 'settings.json',
      ...rangeOf(node),
      message: `This agent has no theme ${quoted(missing)}, so pi uses "system". Link the theme, or select another one.`,
    };
  },
});

const fileIgnored = agentRule({
  id: 'file-ignored',
  severity: 'warning',
  topic: 'links',
  title: 'Prompt template or theme is hidden by an ignore file',
  why: 'pi skips files that match a .gitignore, .ignore or .fdignore in the same directory. So a rule meant for git can hide a prompt template or theme. Add an exception such as "!name.md", or move the rule elsewhere.',
  *check(context) {
    const { agent } = context;
    for (const entry of [...loadedFiles(context, 'prompts'), ...loadedFiles(context, 'themes')]) {
      const folder = entry.path.slice(0, entry.path.indexOf('/') + 1);
      const files = agent.ignoreFiles.filter(({ path }) => path.startsWith(folder));
      const rules = files.flatMap(({ text }) => ignoreRulesIn(text, ''));
      if (!isIgnored(rules, entry.path.slice(folder.length), false)) continue;
      yield {
        file: entry.path,
        message: `pi doesn’t load this file, because ${files.map(({ path }) => path).join(' or ')} matches it. Add an exception.`,
      };
    }
  },
});

const SWITCHABLE = [
  { kind: 'prompts', noun: 'prompt template' },
  { kind: 'themes', noun: 'theme' },
] as const;

const filesSwitchedOff = agentRule({
  id: 'files-switched-off',
  severity: 'warning',
  topic: 'pi-args',
  title: 'Flag disables the linked prompt templates or themes',
  why: 'With --no-prompt-templates or --no-themes, pi loads none of the agent’s prompt templates or themes. Remove the flag, or unlink them.',
  *check(context) {
    for (const { kind, noun } of SWITCHABLE) {
      const use = lastUse(context, FILE_FLAGS[kind]);
      const count = linkedFiles(context, kind).length;
      if (!use || count === 0) continue;
      yield {
        file: 'pi-args',
        ...rangeOfArg(use.arg),
        message: `This agent has ${counted(count, noun)}, but ${use.arg.text} disables them. Remove the flag, or unlink the ${noun}s.`,
      };
    }
  },
});

/** Rules about prompt templates and themes. */
export const linkedFileRules: readonly Rule[] = [
  filesSwitchedOff,
  promptTemplateFrontmatter,
  promptTemplateField,
  promptTemplateName,
  promptTemplateUnreadable,
  themeInvalid,
  themeName,
  themeUnreadable,
  themeShadowed,
  themeMissing,
  fileIgnored,
];
