/**
 * Reports to dot-mi whether this run of pi works, waits for you or is done. dot-mi shows that next to the agent's name.
 * While dot-mi isn't running, nothing happens.
 */
import { execFileSync } from 'node:child_process';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readlinkSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';
import { isatty } from 'node:tty';
import type { ExtensionAPI, ExtensionContext } from '@earendil-works/pi-coding-agent';

/** dot-mi takes a run for ended after 25 s without a report. */
const REPORT_EVERY_MS = 10_000;
const TIMEOUT_MS = 2_000;
/** How long pi waits for the last report when it ends. */
const LAST_REPORT_MS = 500;
/** How long to see whether pi continues without you, such as with a retry. */
const SETTLE_MS = 250;
/** Longer ones are refused. */
const LONGEST_MODEL = 200;
const LONGEST_DIRECTORY = 1_024;

/** Where any program can listen while dot-mi doesn't. Elsewhere only https proves who answers. */
const THIS_COMPUTER = /^(127\..*|0\.0\.0\.0|\[::.*|(.*\.)?localhost\.?)$/;

/** Throws unless the program at this address proves that it knows the key. */
async function requireDotMi({ protocol, hostname, origin }: URL, key: string): Promise<void> {
  if (protocol === 'https:' || !THIS_COMPUTER.test(hostname)) return;
  const nonce = randomBytes(16).toString('hex');
  const url = new URL(`/api/health?${new URLSearchParams({ nonce, origin })}`, origin);
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  const { proofs = [] } = (await response.json()) as { proofs?: string[] };
  const hash = createHash('sha256').update(key).digest('hex');
  const proof = createHmac('sha256', hash).update(`dot-mi server\n${nonce}\n${origin}`).digest('hex');
  if (!proofs.includes(proof)) throw new Error('the program at this address does not know DOT_MI_KEY');
}

/** Sends a report about the agent in this directory. Throws if dot-mi doesn't accept it. */
async function post(agentDir: string, report: object): Promise<void> {
  const base = process.env.DOT_MI_URL || 'http://127.0.0.1:8000';
  const url = new URL(`/api/agents/${encodeURIComponent(basename(agentDir))}/status`, base);
  const key = process.env.DOT_MI_KEY;
  if (key) await requireDotMi(url, key);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key ? { Authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ ...report, directory: realpathSync(agentDir) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`dot-mi returned ${response.status}`);
}

/** The device of this terminal, such as /dev/pts/3. */
function ttyOf(): string | undefined {
  const stream = [0, 1, 2].find((fd) => isatty(fd));
  if (stream === undefined || process.platform === 'win32') return undefined;
  try {
    return process.platform === 'linux'
      ? readlinkSync(`/proc/self/fd/${stream}`)
      : execFileSync('/usr/bin/tty', { stdio: [stream, 'pipe', 'ignore'], encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Where this run is, so that dot-mi can bring its terminal to the front. Leaves out what dot-mi would refuse. */
function terminalOf(): object | undefined {
  const { TMUX, TMUX_PANE, KITTY_WINDOW_ID, KITTY_LISTEN_ON, WEZTERM_PANE, TERM_PROGRAM } = process.env;
  const matching = (pattern: RegExp, text = ''): string | undefined => pattern.exec(text)?.[1];
  const host = matching(/^([\w.-]{1,255})$/, hostname());
  if (host === undefined) return undefined;
  const tty = matching(/^(\/dev\/(?:pts\/\d{1,7}|tty[\w.]{1,32}))$/, ttyOf());
  const program = matching(/^([\w .-]{1,40})$/, TERM_PROGRAM);
  const place = { host, ...(tty ? { tty } : {}), ...(program ? { program } : {}) };
  const [socket, pane] = [
    matching(/\/tmux-\d+\/(\w[\w-]{0,63}),/, TMUX),
    matching(/^(%\d{1,9})$/, TMUX_PANE),
  ];
  // Inside tmux, the other variables describe the terminal that started it.
  if (TMUX) return socket && pane ? { ...place, tmux: { socket, pane } } : place;
  const [path, window] = [
    matching(/^unix:(\/[\w./-]{1,200})$/, KITTY_LISTEN_ON),
    Number(matching(/^([1-9]\d{0,8})$/, KITTY_WINDOW_ID) ?? 0),
  ];
  if (path && window) return { ...place, kitty: { socket: path, window } };
  const number = matching(/^(\d{1,9})$/, WEZTERM_PANE);
  return number ? { ...place, wezterm: { pane: Number(number) } } : place;
}

export default function (pi: ExtensionAPI): void {
  const agentDir = process.env.PI_CODING_AGENT_DIR;
  if (!agentDir) return;

  const terminal = terminalOf();
  const run = `${process.pid}-${randomBytes(6).toString('hex')}`;
  let work: { state: 'running' | 'done' | 'ended'; sinceMs: number } = { state: 'ended', sinceMs: 0 };
  /** When the agent asked a person something. Undefined while it waits for nobody. */
  let askedMs: number | undefined;
  let place: { model?: string; cwd?: string } = {};
  /** Counts what changed, to know whether dot-mi has the latest. */
  let changes = 0;
  let delivered = 0;
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let settleTimer: NodeJS.Timeout | undefined;
  const stopSettling = (): void => {
    clearTimeout(settleTimer);
    settleTimer = undefined;
  };

  const report = () => {
    const { state, sinceMs } = askedMs === undefined ? work : { state: 'waiting' as const, sinceMs: askedMs };
    return {
      run,
      state,
      forMs: Math.max(0, Date.now() - sinceMs),
      ...place,
      ...(terminal ? { terminal } : {}),
    };
  };

  /** Sends the state until dot-mi has the latest, one report at a time. Never rejects. */
  const send = async (): Promise<void> => {
    for (;;) {
      const sent = changes;
      try {
        await post(agentDir, report());
        delivered = sent;
      } catch {
        // dot-mi isn't running, or doesn't know this agent. The timer tries again.
      }
      if (sent === changes) break;
    }
    sending = undefined;
  };
  const sendNow = (): Promise<void> => {
    sending ??= send();
    return sending;
  };

  const change = (ctx?: ExtensionContext): void => {
    changes += 1;
    if (ctx) {
      const model = ctx.model && `${ctx.model.provider}/${ctx.model.id}`.slice(0, LONGEST_MODEL);
      place = {
        ...(model ? { model } : {}),
        ...(ctx.cwd && ctx.cwd.length <= LONGEST_DIRECTORY ? { cwd: ctx.cwd } : {}),
      };
    }
    timer ??= setInterval(() => {
      if (work.state === 'running' || delivered !== changes) void sendNow();
    }, REPORT_EVERY_MS).unref();
    void sendNow();
  };

  const settle = (isStopped: boolean, ctx?: ExtensionContext): void => {
    stopSettling();
    if (work.state !== 'running') return;
    askedMs = undefined;
    work = { state: isStopped ? 'ended' : 'done', sinceMs: Date.now() };
    change(ctx);
  };

  /** Whether a person stopped the last turn. */
  let isAborted = false;

  pi.on('agent_start', async (_event, ctx) => {
    stopSettling();
    isAborted = false;
    if (work.state === 'running') return;
    work = { state: 'running', sinceMs: Date.now() };
    change(ctx);
  });
  pi.on('agent_end', async (event, ctx) => {
    const last = event.messages.at(-1);
    isAborted = last?.role === 'assistant' && last.stopReason === 'aborted';
    // Older versions of pi don't send agent_settled.
    stopSettling();
    settleTimer = setTimeout(() => {
      try {
        if (ctx.isIdle()) settle(isAborted);
      } catch {
        // The session was replaced meanwhile; its context may no longer be asked.
      }
    }, SETTLE_MS).unref();
  });
  pi.on('agent_settled', async (event, ctx) => settle(event.aborted || isAborted, ctx));
  // Prompts outside of a run are answers to what a person just did.
  pi.on('ui_prompt_start', async (_event, ctx) => {
    if (work.state !== 'running') return;
    askedMs = Date.now();
    change(ctx);
  });
  pi.on('ui_prompt_end', async (_event, ctx) => {
    if (askedMs === undefined) return;
    askedMs = undefined;
    change(ctx);
  });
  pi.on('session_shutdown', async () => {
    clearInterval(timer);
    // Without an interface, pi ends right after the run, before the timer.
    settle(settleTimer === undefined || isAborted);
    if (delivered === changes) return;
    let giveUp: NodeJS.Timeout | undefined;
    const tooLate = new Promise<void>((resolve) => {
      giveUp = setTimeout(resolve, LAST_REPORT_MS);
    });
    await Promise.race([sendNow(), tooLate]);
    clearTimeout(giveUp);
  });
}
