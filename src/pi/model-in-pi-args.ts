import { thinkingIn } from './agent-model.ts';
import { makerOf, withMakersProvider } from './model-maker.ts';
import { type FlagUse, type PiArg, type PiArgUse, parsePiArgs, piArgsLines, usesOfFlag } from './pi-args.ts';

/** Returns whether pi-args can contain a model's name. The file has no quotes, and `#` starts a comment. */
export const isModelArgument = (name: string): boolean => /^[^\s\p{C}#@-][^\s\p{C}]*$/u.test(name);

/** Returns the value that somebody meant for a flag. pi would also use the next flag as the value. */
const meantValue = (use: FlagUse | undefined): PiArg | undefined =>
  use?.value?.text.startsWith('-') ? undefined : use?.value;

const endOf = ({ offset, text }: PiArg): number => offset + text.length;

const splice = (text: string, start: number, end: number, insert: string): string =>
  text.slice(0, start) + insert + text.slice(end);

const lineEndOf = (text: string): string => /\r?\n/.exec(text)?.[0] ?? '\n';

const lineOf = (text: string, arg: PiArg): readonly PiArg[] =>
  piArgsLines(text).find(({ number }) => number === arg.line)?.args ?? [];

/** Removes consecutive arguments, and the line if nothing else is on it. */
const withoutArgs = (text: string, args: readonly PiArg[]): string => {
  const lines = Map.groupBy(args, ({ line }) => line);
  return Array.from(lines.values()).reduceRight((rest, run) => {
    const [first, last] = [run[0] as PiArg, run.at(-1) as PiArg];
    const line = lineOf(text, first);
    const lineStart = first.offset - first.column + 1;
    if (line.length === run.length) {
      const lineEnd = text.indexOf('\n', lineStart);
      return splice(rest, lineStart, lineEnd < 0 ? text.length : lineEnd + 1, '');
    }
    const next = line[line.findIndex(({ offset }) => offset === last.offset) + 1];
    // At the start of a line, "#" would start a comment.
    if (next) return splice(rest, first.offset, next.offset, next.text.startsWith('#') ? ' ' : '');
    const before = line[line.length - run.length - 1];
    return splice(rest, before ? endOf(before) : lineStart, endOf(last), '');
  }, text);
};

/** Returns whether a flag without a value would use the next argument as its value. */
const takesNext = (use: PiArgUse | undefined): boolean =>
  (use?.kind === 'flag' && use.flag.value === 'optional' && !use.value) ||
  (use?.kind === 'other_flag' && !use.value && use.inlineValue === undefined);

/** Removes a `--provider`. If that would change another argument's meaning, `--model` replaces it. */
const withoutProvider = (text: string, uses: readonly PiArgUse[], provider: FlagUse): string => {
  const at = uses.indexOf(provider);
  const next = uses[at + 1];
  if (takesNext(uses[at - 1]) && next && !/^[-@]/.test(next.arg.text) && provider.value)
    return splice(text, provider.arg.offset, endOf(provider.arg), '--model');
  const value = meantValue(provider);
  return withoutArgs(text, value ? [provider.arg, value] : [provider.arg]);
};

/** Returns the `--provider` that takes effect. pi ignores one at the end of the file, because it has no value. */
const lastProvider = (uses: readonly PiArgUse[]): FlagUse | undefined =>
  usesOfFlag(uses, '--provider').findLast(({ value }) => value !== undefined);

const modelIn = (uses: readonly PiArgUse[]): string | undefined =>
  meantValue(usesOfFlag(uses, '--model').at(-1))?.text;

/**
 * Returns the provider in use if it also offers the new model, according to that model's name or because both
 * models have the same maker.
 */
const providerToKeep = (uses: readonly PiArgUse[], name: string): string | undefined => {
  const provider = meantValue(lastProvider(uses))?.text;
  if (provider === undefined || name.startsWith(`${provider}/`)) return provider;
  const maker = makerOf(name);
  return maker !== undefined && makerOf(modelIn(uses) ?? `${provider}/`) === maker ? provider : undefined;
};

/** Returns a model's name for the provider in use. It starts with the maker only if the current name does. */
const nameAtProvider = (uses: readonly PiArgUse[], name: string): string => {
  const bare = name.slice(name.indexOf('/') + 1);
  return withMakersProvider(bare) === name && !modelIn(uses)?.includes('/') ? bare : name;
};

const withProvider = (text: string, kept: string | undefined): string => {
  const uses = parsePiArgs(text);
  const last = lastProvider(uses);
  return last && last.value?.text !== kept ? withoutProvider(text, uses, last) : text;
};

const withValue = (text: string, fullName: string): string => {
  const uses = parsePiArgs(text);
  const prefix = `${lastProvider(uses)?.value?.text}/`;
  const name = fullName.startsWith(prefix) ? fullName.slice(prefix.length) : fullName;
  const lineEnd = lineEndOf(text);
  const valueAfter = (old: string): string => (thinkingIn(name) === '' ? name + thinkingIn(old) : name);
  const model = usesOfFlag(uses, '--model').at(-1);
  if (model) {
    const old = meantValue(model);
    if (old) return splice(text, old.offset, endOf(old), valueAfter(old.text));
    const isLast = lineOf(text, model.arg).at(-1)?.offset === model.arg.offset;
    return splice(text, endOf(model.arg), endOf(model.arg), (isLast ? lineEnd : ' ') + name);
  }
  // pi refuses to start with `--model=name`, so read it as it was meant.
  const inline = uses.findLast((use) => use.kind === 'other_flag' && use.name === 'model');
  if (inline?.kind === 'other_flag' && inline.inlineValue !== undefined) {
    const separator = lineOf(text, inline.arg).length === 1 ? lineEnd : ' ';
    const pair = `--model${separator}${valueAfter(inline.inlineValue)}`;
    return splice(text, inline.arg.offset, endOf(inline.arg), pair);
  }
  // Insert before these, because at the end, `--model` would become a message, or another flag's value.
  const blocker = uses.find(
    (use) => use.kind === 'flag' && (use.flag.name === '--' || (use.flag.value === 'any' && !use.value)),
  );
  if (blocker) {
    const { offset } = blocker.arg;
    const isFirst = lineOf(text, blocker.arg)[0]?.offset === offset;
    const pair = isFirst ? `--model${lineEnd}${name}${lineEnd}` : `--model ${name} `;
    return splice(text, offset, offset, pair);
  }
  const isLineStart = text === '' || text === '\uFEFF' || text.endsWith('\n');
  return `${text}${isLineStart ? '' : lineEnd}--model${lineEnd}${name}${lineEnd}`;
};

/**
 * Sets the model in the text of a pi-args file, and changes nothing else. Keeps comments, order, line endings, other
 * flags and the thinking level. As in pi, the last `--model` counts. Rewrites `--model=name`, which pi refuses, so
 * that pi can read it. Removes a `--provider` that doesn't offer the new model.
 *
 * `fullName` is one that {@link isModelArgument} accepts.
 */
export const withModel = (text: string, fullName: string): string => {
  const uses = parsePiArgs(text);
  const kept = providerToKeep(uses, fullName);
  const name = nameAtProvider(uses, fullName);
  let before: string;
  let after = text;
  // A flag that pi read as another flag's value becomes a flag once the other flag has its own value.
  do {
    before = after;
    const provided = withProvider(before, kept);
    // The change can affect whether a flag uses "--model" or "--provider" as its value.
    const isKept = kept !== undefined && lastProvider(parsePiArgs(provided))?.value?.text === kept;
    after = withValue(provided, isKept ? name : fullName);
  } while (after !== before);
  return after;
};

/** The settings in settings.json that name a model. */
export interface NamedModel {
  readonly defaultProvider?: string;
  readonly defaultModel: string;
}

const splitName = (name: string): NamedModel => {
  const slash = name.indexOf('/');
  return slash > 0
    ? { defaultProvider: name.slice(0, slash), defaultModel: name.slice(slash + 1) }
    : { defaultModel: name };
};

/**
 * Returns the settings that name a model, by the rules of {@link withModel}. `current` is the full name of the model
 * that they name now, with its thinking level.
 */
export const settingsWithModel = (current: string, fullName: string): NamedModel => {
  if (!isModelArgument(current)) return splitName(fullName);
  const { defaultProvider, defaultModel } = splitName(current);
  const provider = defaultProvider === undefined ? '' : `--provider\n${defaultProvider}\n`;
  const uses = parsePiArgs(withModel(`${provider}--model\n${defaultModel}\n`, fullName));
  const model = modelIn(uses) ?? fullName;
  const kept = meantValue(lastProvider(uses))?.text;
  return kept === undefined ? splitName(model) : { defaultProvider: kept, defaultModel: model };
};
