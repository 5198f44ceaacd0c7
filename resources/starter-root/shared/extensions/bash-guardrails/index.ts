/**
 * A seat belt, not a wall: asks before a bash command that looks like a plain mistake which cannot be
 * undone, such as `rm -rf *`, and never runs the worst. It catches slips. It doesn't keep out a program
 * that wants to get past it.
 *
 * Where nobody can answer (print and JSON mode), what it would ask about is not run.
 * rules.ts lists what it knows; the other files read the command.
 */
import { homedir } from 'node:os';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';
import { judge } from './rules.ts';

/** What is shown of a command in the question; the rest scrolls out of a dialog anyway. */
const MAX_SHOWN = 600;

// SECURITY: an escape sequence in the command could hide what the user is asked to allow.
const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}]/gu, (char) => (char === '\n' ? char : '\uFFFD'));

export default function (pi: ExtensionAPI): void {
  pi.on('tool_call', async (event, ctx) => {
    if (event.toolName !== 'bash') return undefined;
    const { command } = event.input as { command?: unknown };
    if (typeof command !== 'string') return undefined;

    const verdict = judge(command, { home: homedir(), cwd: ctx.cwd });
    if (!verdict) return undefined;

    if (verdict.action === 'ask' && ctx.hasUI) {
      const shown = command.length > MAX_SHOWN ? `${command.slice(0, MAX_SHOWN)} […]` : command;
      const question = `The agent wants to run this; ${verdict.why}.\n\n${printable(shown)}`;
      if (await ctx.ui.confirm('Run it?', question)) return undefined;
      return { block: true, reason: `The user refused: ${verdict.why}. Ask how to go on.` };
    }
    return {
      block: true,
      reason: `Not run: ${verdict.why}. Do it another way, or ask the user to run it by hand.`,
    };
  });
}
