import {
  autocompletion,
  type Completion,
  type CompletionResult,
  startCompletion,
} from '@codemirror/autocomplete';
import { type EditorState, type Extension, Prec } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { BUILT_IN_TOOLS, PI_FLAGS, type PiFlag } from '../../../../../pi/flags.ts';
import { isModelArgument } from '../../../../../pi/model-in-pi-args.ts';
import { withMakersProvider } from '../../../../../pi/model-maker.ts';
import { parsePiArgs, piArgsLines, usesOf } from '../../../../../pi/pi-args.ts';

/** The text that someone can type at a position in pi-args: a flag, or a flag's value. */
interface PiArgsPlace {
  /** The start of the argument, or of the name in its list. */
  readonly from: number;
  /** The flag whose value is being typed. Undefined for a separate argument. */
  readonly flag: PiFlag | undefined;
}

const LIST_FLAGS: ReadonlySet<string> = new Set(['--tools', '--exclude-tools', '--models']);

/** Returns what someone can type before `position` in pi-args. Null in a comment. */
export const piArgsPlace = (text: string, position: number): PiArgsPlace | null => {
  const before = text.slice(0, position);
  if (before.slice(before.lastIndexOf('\n') + 1).startsWith('#')) return null;
  const args = piArgsLines(before).flatMap((line) => line.args);
  const last = args.at(-1);
  const isTyping = last !== undefined && last.offset + last.text.length === position;
  const use = usesOf(isTyping ? args.slice(0, -1) : args).at(-1);
  const start = isTyping ? last.offset : position;
  if (use?.kind !== 'flag' || use.flag.value === undefined || use.value)
    return { from: start, flag: undefined };
  const { flag } = use;
  const list = LIST_FLAGS.has(flag.name) ? before.lastIndexOf(',') + 1 : 0;
  return { from: Math.max(start, list), flag };
};

/** Returns the names of the models to offer. */
export type ModelNames = () => readonly string[];

/** Returns the names by which pi finds the models. They omit the provider if the text has `--provider`. */
const modelNames = (models: ModelNames, text: string): readonly string[] => {
  const names = models().filter(isModelArgument);
  const namesProvider = parsePiArgs(text).some(
    (use) => use.kind === 'flag' && use.flag.name === '--provider',
  );
  return namesProvider ? names : [...new Set(names.map(withMakersProvider))];
};

const valuesOf = ({ name, values }: PiFlag, models: ModelNames, text: string): readonly string[] => {
  if (name === '--model' || name === '--models') return modelNames(models, text);
  if (name === '--tools' || name === '--exclude-tools') return BUILT_IN_TOOLS;
  return values ?? [];
};

const flagOption = (flag: PiFlag): Completion => ({
  label: flag.name,
  ...(flag.short ? { detail: flag.short } : {}),
  ...(flag.value === undefined || flag.value === 'optional'
    ? {}
    : {
        apply: (view, _completion, from, to) => {
          const { state } = view;
          // Each argument has its own line, but text that follows on this line may be the flag's value.
          const insert = state.doc.lineAt(to).to === to ? `${flag.name}\n` : flag.name;
          view.dispatch({
            changes: { from, to, insert },
            selection: { anchor: from + insert.length },
            userEvent: 'input.complete',
            scrollIntoView: true,
          });
          if (insert !== flag.name) startCompletion(view);
        },
      }),
});

/** Completes pi's flags in pi-args, and known values: models, tools, levels. */
export const completePiArgs =
  (models: ModelNames) =>
  ({
    state,
    pos,
    explicit,
  }: {
    state: EditorState;
    pos: number;
    explicit: boolean;
  }): CompletionResult | null => {
    const place = piArgsPlace(state.doc.toString(), pos);
    if (!place || (!explicit && place.from === pos)) return null;
    const { from, flag } = place;
    if (flag && (flag.value === 'any' || !state.sliceDoc(from, pos).startsWith('-'))) {
      const options = valuesOf(flag, models, state.doc.toString()).map((label) => ({ label }));
      return options.length === 0 ? null : { from, options, validFor: /^[^\s,]*$/ };
    }
    if (!explicit && !state.sliceDoc(from, pos).startsWith('-')) return null;
    const options = PI_FLAGS.filter(({ name }) => name !== '--').map(flagOption);
    return { from, options, validFor: /^[\w-]*$/ };
  };

const THEME = EditorView.theme({
  '.cm-tooltip.cm-tooltip-autocomplete': {
    border: '1px solid var(--line)',
    borderRadius: '0.5rem',
    backgroundColor: 'var(--raised)',
    color: 'var(--ink)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'inherit',
    padding: '0.25rem',
    maxHeight: '16rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.125rem 0.5rem', borderRadius: '0.25rem' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--selected)',
    color: 'var(--ink)',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '600' },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'var(--muted)' },
});

/** Offers flags and values while someone edits pi-args, and on Ctrl+Space. */
export const piArgsCompletion = (models: ModelNames): Extension => [
  autocompletion({ override: [completePiArgs(models)], icons: false, interactionDelay: 0 }),
  Prec.high(THEME),
];
