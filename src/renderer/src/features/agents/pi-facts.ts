// Apart from the chips that show it, because it has its own tests.
import { piArgsIn } from '../../../../shared/run-command.ts';

/** What an agent's pi-args say about its model and its tools. A field that they don't set is absent. */
interface PiFacts {
  /** As pi resolves it, such as `anthropic/claude-sonnet-4-5`. */
  readonly model?: string;
  /** The tools that pi may use. Empty if it may use none. */
  readonly tools?: readonly string[];
}

/** Reads the model and the tools from a pi-args file. As in pi, the last of several equal flags wins. */
export const piFactsIn = (piArgs: string): PiFacts => {
  const args = piArgsIn(piArgs);
  const lastOf = (...flags: readonly string[]): string | undefined => {
    const value = args[args.findLastIndex((arg) => flags.includes(arg)) + 1];
    return args.some((arg) => flags.includes(arg)) && value?.startsWith('-') === false ? value : undefined;
  };
  const model = lastOf('--model');
  const provider = lastOf('--provider');
  const tools = args.some((arg) => arg === '--no-tools' || arg === '-nt') ? '' : lastOf('--tools', '-t');
  return {
    ...(model === undefined
      ? {}
      : { model: provider === undefined || model.includes('/') ? model : `${provider}/${model}` }),
    ...(tools === undefined
      ? {}
      : {
          tools: tools
            .split(',')
            .map((tool) => tool.trim())
            .filter(Boolean),
        }),
  };
};
