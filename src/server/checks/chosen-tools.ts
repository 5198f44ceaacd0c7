import { DEFAULT_TOOLS } from '../../shared/pi/flags.ts';
import { agentMdTools } from './agent-md.ts';
import type { TextRange } from './checked-text.ts';
import type { AgentContext } from './context.ts';
import { nodeAt, rangeOf } from './json-document.ts';
import { lastUse, rangeOfArg } from './pi-args-rules.ts';

/** The tools that an agent starts with. */
export interface ChosenTools {
  readonly tools: ReadonlySet<string>;
  /** Where the files of the agent choose them. Undefined if pi's own choice counts. */
  readonly place?: (TextRange & { readonly file: string }) | undefined;
}

/** Applies `+name` and `-name`, as pi 1.5 does. A list with plain names replaces the list before it. */
const applied = (names: readonly string[], before: readonly string[]): string[] => {
  const plain = names.filter((name) => !/^[+-]/.test(name));
  const tools = new Set(plain.length > 0 || names.length === 0 ? plain : before);
  for (const name of names) {
    if (name.startsWith('+')) tools.add(name.slice(1));
    if (name.startsWith('-')) tools.delete(name.slice(1));
  }
  return [...tools];
};

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** The tools of an agent: those of pi-args, then of AGENT.md, then of settings.json. */
export const chosenTools = (context: AgentContext): ChosenTools => {
  const settings = context.json('settings.json');
  const node = nodeAt(settings?.root, ['defaultTools']);
  const configured = (settings?.value as { defaultTools?: unknown } | undefined)?.defaultTools;
  let tools: readonly string[] = DEFAULT_TOOLS;
  let place: ChosenTools['place'];
  if (node && Array.isArray(configured)) {
    tools = applied(configured.map(String), tools);
    place = { file: 'settings.json', ...rangeOf(node) };
  }
  const none = lastUse(context, '--no-tools') ?? lastUse(context, '--no-builtin-tools');
  if (none) {
    tools = [];
    place = { file: 'pi-args', ...rangeOfArg(none.arg) };
  }
  const named = lastUse(context, '--tools');
  if (named?.value) {
    tools = applied(namesIn(named.value.text), tools);
    place = { file: 'pi-args', ...rangeOfArg(named.value) };
  }
  const wanted = agentMdTools(context);
  if (wanted && !none) {
    const allowed = named?.value ? new Set(tools) : undefined;
    tools = wanted.value.filter((name) => allowed?.has(name) ?? true);
    place = { file: 'AGENT.md', ...wanted.place };
  }
  const excluded = lastUse(context, '--exclude-tools');
  if (excluded?.value) {
    const names = new Set(namesIn(excluded.value.text));
    if (tools.some((name) => names.has(name))) place = { file: 'pi-args', ...rangeOfArg(excluded.value) };
    tools = tools.filter((name) => !names.has(name));
  }
  return { tools: new Set(tools), place };
};
