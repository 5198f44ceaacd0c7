/**
 * Says that a long run has finished: a desktop notification, or the terminal's bell where there is
 * no desktop (over SSH, on Windows, without notify-send).
 */
import { basename } from 'node:path';
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent';

/** Whoever waited less than this is still looking. */
const MIN_RUN_MS = 10_000;
/** How long to see whether pi goes on by itself (a retry, a queued message). */
const SETTLE_MS = 250;

/** The program that shows a notification here, or undefined where only the bell is left. */
export function notifier(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  title: string,
  body: string,
): [command: string, args: string[]] | undefined {
  // The desktop of the machine one is logged in to is not the one in front of the user.
  if (env.SSH_CONNECTION || env.SSH_TTY) return undefined;
  if (platform === 'darwin') {
    // The texts are arguments of the script, never part of it: nothing in them is run.
    const script = 'on run {theTitle, theBody}\ndisplay notification theBody with title theTitle\nend run';
    return ['osascript', ['-e', script, title, body]];
  }
  if (platform === 'linux' && (env.DISPLAY || env.WAYLAND_DISPLAY)) {
    return ['notify-send', ['--app-name=pi', '--', title, body]];
  }
  return undefined;
}

const ring = (): void => {
  process.stdout.write('\x07');
};

export default function (pi: ExtensionAPI): void {
  let startedAt: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function announce(elapsedMs: number): Promise<void> {
    const name = basename(process.env.PI_CODING_AGENT_DIR ?? '') || 'agent';
    const body = `Ready after ${Math.round(elapsedMs / 1000)} s.`;
    const command = notifier(process.platform, process.env, `pi: ${name}`, body);
    if (!command) return ring();
    const { code } = await pi.exec(command[0], command[1], { timeout: 5000 });
    if (code !== 0) ring();
  }

  function finishSoon(ctx: ExtensionContext): void {
    // Elsewhere stdout is an answer or a protocol, and nobody is waiting at a terminal.
    if (!ctx.hasUI || !process.stdout.isTTY) return;
    const endedAt = Date.now();
    clearTimeout(timer);
    timer = setTimeout(() => {
      try {
        if (startedAt === undefined || !ctx.isIdle()) return;
        const elapsedMs = endedAt - startedAt;
        startedAt = undefined;
        if (elapsedMs >= MIN_RUN_MS) announce(elapsedMs).catch(ring);
      } catch {
        // The session was replaced meanwhile; its context may no longer be asked.
      }
    }, SETTLE_MS);
    // pi may end without waiting for this.
    timer.unref();
  }

  pi.on('agent_start', async () => {
    clearTimeout(timer);
    startedAt ??= Date.now();
  });
  // Older versions of pi know only agent_end, which newer ones also send before each retry. Both lead
  // to the same timer, so that one finished run makes one notification.
  pi.on('agent_end', async (event, ctx) => {
    const last = event.messages.at(-1);
    // Whoever pressed Escape need not be told.
    if (last?.role === 'assistant' && last.stopReason === 'aborted') startedAt = undefined;
    finishSoon(ctx);
  });
  pi.on('agent_settled', async (_event, ctx) => finishSoon(ctx));
  pi.on('session_shutdown', async () => {
    clearTimeout(timer);
    startedAt = undefined;
  });
}
