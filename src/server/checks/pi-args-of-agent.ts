import { type FlagUse, type PiArg, usesOfFlag } from '../../pi/pi-args.ts';
import type { TextRange } from '../../shared/checked-text.ts';
import type { AgentContext } from './context.ts';
import { loadedExtensions } from './entries-of-agent.ts';

/** Returns an argument's range in pi-args. */
export const rangeOfArg = ({ offset, text }: PiArg): TextRange => ({
  start: offset,
  end: offset + text.length,
});

/** Returns whether an argument is in quotes, or has a part that is. pi takes them literally. */
export const hasQuotes = (text: string): boolean => /^["']|[=,](["']).*\1$/.test(text);

/** Returns every use of one of pi's flags, by its long name, in order. */
export const flagUses = (context: AgentContext, name: string): FlagUse[] =>
  usesOfFlag(context.piArgs(), name);

/** Returns the use of a flag that takes effect. In pi, the last one wins. */
export const lastUse = (context: AgentContext, name: string): FlagUse | undefined =>
  flagUses(context, name).at(-1);

/** The names that an agent's extensions register, as far as dot-mi can tell. */
interface Registered {
  readonly names: ReadonlySet<string>;
  /** True if extensions can't register any other names. */
  readonly isComplete: boolean;
}

/** Returns the names of flags, tools or providers that an agent's extensions register. */
export const registered = (context: AgentContext, what: 'flags' | 'tools' | 'providers'): Registered => {
  const calls = loadedExtensions(context).map((entry) => entry.calls);
  const settings = context.json('settings.json')?.value;
  const hasPackages =
    typeof settings === 'object' && settings !== null && ('packages' in settings || 'extensions' in settings);
  return {
    names: new Set(
      calls.flatMap((call) => call[what].map((one) => (typeof one === 'string' ? one : one.name))),
    ),
    isComplete:
      calls.every(({ isComplete }) => isComplete) &&
      !hasPackages &&
      context.agent.files['settings.json'].kind !== 'refused' &&
      flagUses(context, '--extension').length === 0,
  };
};
