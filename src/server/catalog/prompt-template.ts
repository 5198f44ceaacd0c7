import { PI_COMMANDS } from '../../pi/slash-commands.ts';
import type { Diagnostic, SharedPrompt } from '../../shared/api/catalog.ts';
import { quoted } from '../platform/words.ts';
import { isPlainText, type SharedText } from '../root-model/reader.ts';
import { placeFrontmatter } from './frontmatter.ts';
import { NOT_PLAIN, textProblem } from './text-problem.ts';

/** A prompt template as pi parses it, with its problems. */
type PromptTemplate = Omit<SharedPrompt, 'name' | 'path'>;

/** How much of the first line pi shows if there's no description, in characters. */
const MAX_FIRST_LINE = 60;

const warning = (rule: string, message: string): Diagnostic => ({ severity: 'warning', rule, message });

/** Returns the start of the first line with text, as pi shows it. */
const firstLineOf = (text: string): string | undefined => {
  const at = text.search(/\S/);
  if (at < 0) return undefined;
  const start = text.lastIndexOf('\n', at) + 1;
  const line = text.slice(start, start + MAX_FIRST_LINE + 1).split('\n', 1)[0] ?? '';
  return line.length > MAX_FIRST_LINE ? `${line.slice(0, MAX_FIRST_LINE).toWellFormed()}...` : line;
};

function* nameProblems(command: string): Generator<Diagnostic> {
  if (/\s/.test(command)) {
    yield warning(
      'prompt-template-name',
      `Nobody can type /${command.slice(0, 60)}, because in pi a command name ends at the first space. Rename the file.`,
    );
  } else if (PI_COMMANDS.has(command)) {
    yield warning(
      'prompt-template-name',
      `pi has its own /${command} command, which takes precedence in pi’s terminal. Rename the file.`,
    );
  }
}

const FIELDS = ['description', 'argument-hint'] as const;

/** Reads a prompt template like pi's `loadTemplateFromFile`. `name` is the file name. */
export const readPromptTemplate = (name: string, read: SharedText): PromptTemplate => {
  const command = name.replace(/\.md$/, '');
  const diagnostics = [...nameProblems(command)];
  if (!('text' in read))
    return { command, diagnostics: [...diagnostics, textProblem('prompt-template', read)] };
  if (!isPlainText(read)) diagnostics.push(warning('prompt-template-unreadable', NOT_PLAIN));
  const text = read.text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n');
  const { result, data, diagnostics: found, bodyStart } = placeFrontmatter(text);
  const [problem] = found;
  if (problem && result === 'refused') {
    const message = `${problem.message} pi doesn’t load this template.`;
    return {
      command,
      diagnostics: [...diagnostics, { ...problem, rule: 'prompt-template-frontmatter', message }],
    };
  }
  if (problem && result === 'unknown')
    return { command, diagnostics: [...diagnostics, { ...problem, rule: 'prompt-template-unreadable' }] };
  if (problem && problem.rule !== 'frontmatter-missing') {
    const message = `${problem.message} pi uses none of its fields.`;
    diagnostics.push(warning('prompt-template-field', message));
  }
  for (const field of FIELDS) {
    const value = data[field];
    if (value === undefined || value === null || typeof value === 'string') continue;
    diagnostics.push(
      warning(
        'prompt-template-field',
        `pi ignores ${quoted(field)}, because its value is not text. Put the value in quotes.`,
      ),
    );
  }
  const { description, 'argument-hint': hint } = data;
  const shown =
    typeof description === 'string' && description !== '' ? description : firstLineOf(text.slice(bodyStart));
  return {
    command,
    ...(shown === undefined ? {} : { description: shown }),
    ...(typeof hint === 'string' && hint !== '' ? { argumentHint: hint } : {}),
    diagnostics,
  };
};
