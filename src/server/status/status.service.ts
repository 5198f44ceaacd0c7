import { join, resolve } from 'node:path';
import { ERRORS } from '../../shared/api/errors.ts';
import {
  type AgentStatus,
  LIVE_AFTER_REPORT_MS,
  type LiveRun,
  MOST_RUNS,
  type ReportedState,
  type ReportedTerminal,
  SHOW_DONE_MS,
  type StatusList,
  type StatusReport,
} from '../../shared/api/status.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { isSamePath } from '../platform/root.ts';
import type { Terminals } from './show-terminal.ts';
import type { StatusStore } from './status-store.ts';

/** The minimum time between events, so that many reports cause few reads. */
const PUBLISH_EVERY_MS = 500;
const WRITE_AFTER_MS = 1_000;

/** A run whose state changed. */
export interface RunChange {
  readonly agent: string;
  readonly run: string;
  /** `ended` can also mean that the run stopped reporting. */
  readonly state: ReportedState;
  /** How long the run worked, as far as dot-mi knows. */
  readonly workedMs: number;
}

/** An agent that waits for a person. */
export interface WaitingAgent {
  readonly agent: string;
  /** Whether dot-mi can bring its terminal to the front. */
  readonly canShow: boolean;
}

/** Receives changes, for the host's notifications and tray. */
export interface StatusListener {
  onChange(change: RunChange): void;
  /** Called with the waiting agents, sorted by id, at startup and on changes. */
  onWaiting(agents: readonly WaitingAgent[]): void;
}

/** Dependencies of {@link createStatusService}. */
export interface StatusDeps {
  store: StatusStore;
  /** Returns the root's path without symlinks. Throws `agent_not_found` and `root_unavailable`. */
  requireAgent(id: string): Promise<string>;
  publish(ids: string[]): void;
  listener?: StatusListener | undefined;
  terminals: Terminals;
  clock: Clock;
}

/** Tracks agents' status from the reports of their runs. */
export interface StatusService {
  /**
   * `isTrusted`: the operator or the agent's key sent the report.
   *
   * Throws `agent_not_found` and `root_unavailable`, and `root_changed` for an agent in another root.
   */
  report(agent: string, report: StatusReport, isTrusted: boolean): Promise<void>;
  /** With `isOperator`, the list has working directories and terminals. */
  list(options: { isOperator: boolean }): Promise<StatusList>;
  /** Brings the terminal of an agent's most urgent run to the front. Throws `agent_not_found`, `root_unavailable` and `terminal_not_shown`. */
  showTerminal(agent: string): Promise<void>;
  /** Forgets a deleted agent, so that a later one with its id doesn't inherit its status. */
  forget(agent: string): void;
  start(): void;
  /** Writes unsaved times. */
  close(): Promise<void>;
}

interface Run {
  readonly state: LiveRun['state'];
  readonly sinceMs: number;
  /** When the run started working, or the time of its first report. */
  readonly startedMs: number;
  readonly heardMs: number;
  readonly model: string | undefined;
  readonly cwd: string | undefined;
  readonly terminal: ReportedTerminal | undefined;
  /** Whether the operator or the agent's key reported it. */
  readonly isTrusted: boolean;
}

type NamedRun = readonly [run: string, Run];

const isLive = (state: ReportedState): state is LiveRun['state'] =>
  state === 'running' || state === 'waiting';

/** Sorts waiting runs first, then the oldest first. */
const byUrgency = (a: Run, b: Run): number =>
  Number(b.state === 'waiting') - Number(a.state === 'waiting') || a.sinceMs - b.sinceMs;

/**
 * Returns the run to drop for a new one. Prefers runs that were reported without a token, then those that aren't
 * waiting, then the oldest last report.
 */
const leastUrgent = (runs: ReadonlyMap<string, Run>): NamedRun | undefined =>
  [...runs].sort(
    ([, a], [, b]) =>
      Number(a.isTrusted) - Number(b.isTrusted) ||
      Number(a.state === 'waiting') - Number(b.state === 'waiting') ||
      a.heardMs - b.heardMs,
  )[0];

export const createStatusService = ({
  store,
  requireAgent,
  publish,
  listener,
  terminals,
  clock,
}: StatusDeps): StatusService => {
  /** The live runs, by agent and run. Agents without runs are absent. */
  const live = new Map<string, Map<string, Run>>();
  let done = new Map<string, number>();
  const waiting = new Set<string>();
  const runsOf = (agent: string): Run[] => [...(live.get(agent)?.values() ?? [])].sort(byUrgency);
  const terminalOf = (agent: string) => runsOf(agent).find(({ terminal }) => terminal)?.terminal;
  const reportWaiting = () =>
    listener?.onWaiting(
      [...waiting].sort().map((agent) => {
        const terminal = terminalOf(agent);
        return { agent, canShow: terminal !== undefined && terminals.view(terminal).canShow };
      }),
    );

  const loading = store.read().then((kept) => {
    done = new Map([...kept, ...done]);
  });

  let changed = new Set<string>();
  let cancelPublish: (() => void) | undefined;
  const publishSoon = (agent: string): void => {
    changed.add(agent);
    if (cancelPublish) return;
    const send = () => {
      cancelPublish = undefined;
      if (changed.size === 0) return;
      publish([...changed]);
      changed = new Set();
      cancelPublish = clock.after(PUBLISH_EVERY_MS, send);
    };
    send();
  };

  let cancelWrite: (() => void) | undefined;
  let writing = Promise.resolve();
  const write = (): Promise<void> => {
    cancelWrite?.();
    cancelWrite = undefined;
    writing = store.write(done);
    return writing;
  };
  const writeSoon = () => {
    cancelWrite ??= clock.after(WRITE_AFTER_MS, () => void write());
  };

  const announce = (agent: string): void => {
    publishSoon(agent);
    const isWaiting = [...(live.get(agent)?.values() ?? [])].some(({ state }) => state === 'waiting');
    if (isWaiting === waiting.has(agent)) return;
    if (isWaiting) waiting.add(agent);
    else waiting.delete(agent);
    reportWaiting();
  };

  const remove = (agent: string, run: string, state: 'done' | 'ended', endedMs: number): void => {
    const runs = live.get(agent);
    const startedMs = runs?.get(run)?.startedMs ?? endedMs;
    const isKnown = runs?.delete(run) ?? false;
    if (runs?.size === 0) live.delete(agent);
    if (!isKnown && state === 'ended') return;
    listener?.onChange({ agent, run, state, workedMs: endedMs - startedMs });
    announce(agent);
  };

  let cancelSweep: (() => void) | undefined;
  /** Ends runs that stopped reporting, and schedules the next check. */
  const sweep = (): void => {
    cancelSweep?.();
    cancelSweep = undefined;
    const nowMs = clock.now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [agent, runs] of live)
      for (const [run, { heardMs }] of runs) {
        const dueMs = heardMs + LIVE_AFTER_REPORT_MS;
        // A clock that was set back must not keep a run alive.
        if (dueMs <= nowMs || heardMs > nowMs) remove(agent, run, 'ended', nowMs);
        else nextMs = Math.min(nextMs, dueMs);
      }
    for (const [agent, atMs] of done) if (nowMs - atMs >= SHOW_DONE_MS) done.delete(agent);
    if (live.size > 0) cancelSweep = clock.after(nextMs - nowMs, sweep);
  };

  const noteLive = (
    agent: string,
    state: LiveRun['state'],
    report: StatusReport,
    isTrusted: boolean,
  ): void => {
    const nowMs = clock.now();
    const sinceMs = nowMs - report.forMs;
    const runs = live.get(agent) ?? new Map<string, Run>();
    live.set(agent, runs);
    const before = runs.get(report.run);
    if (!before && runs.size >= MOST_RUNS) {
      const [dropped, run] = leastUrgent(runs) ?? [];
      // SECURITY: a caller without a token can't push out the runs of those who have one.
      if (run?.isTrusted && !isTrusted) return;
      if (dropped !== undefined) remove(agent, dropped, 'ended', nowMs);
    }
    const isSame = before?.state === state;
    runs.set(report.run, {
      state,
      // A repeated report that arrives late must not move the start.
      sinceMs: isSame ? Math.min(before.sinceMs, sinceMs) : sinceMs,
      startedMs: Math.min(before?.startedMs ?? nowMs, sinceMs),
      heardMs: nowMs,
      model: report.model,
      cwd: report.cwd,
      terminal: report.terminal,
      isTrusted,
    });
    if (!isSame) listener?.onChange({ agent, run: report.run, state, workedMs: 0 });
    if (!isSame || before.model !== report.model || before.cwd !== report.cwd) announce(agent);
    if (!cancelSweep) sweep();
  };

  const noteDone = (agent: string, { run, forMs }: StatusReport): void => {
    const atMs = clock.now() - forMs;
    // A run repeats this report only if it got no response.
    if (atMs > (done.get(agent) ?? 0)) {
      done.set(agent, atMs);
      writeSoon();
    }
    remove(agent, run, 'done', atMs);
  };

  const shownRun = ({ state, sinceMs, model, cwd, terminal }: Run, isOperator: boolean): LiveRun => ({
    state,
    since: new Date(sinceMs).toISOString(),
    model: model ?? null,
    ...(isOperator
      ? { cwd: cwd ?? null, terminal: terminal === undefined ? null : terminals.view(terminal) }
      : {}),
  });

  const statusOf = (agent: string, isOperator: boolean): AgentStatus | undefined => {
    const runs = runsOf(agent);
    const [first] = runs;
    const sinceMs = first?.sinceMs ?? done.get(agent);
    if (sinceMs === undefined) return undefined;
    return {
      agent,
      state: first?.state ?? 'done',
      since: new Date(sinceMs).toISOString(),
      runs: runs.map((run) => shownRun(run, isOperator)),
    };
  };

  return {
    async report(agent, report, isTrusted) {
      const realRoot = await requireAgent(agent);
      const { directory, state, run } = report;
      if (directory !== undefined && !isSamePath(resolve(directory), join(realRoot, 'agents', agent)))
        throw new AppError('root_changed', ERRORS.root_changed.message);
      await loading;
      // SECURITY: a caller without a token can't end or change such a run either.
      if (!isTrusted && live.get(agent)?.get(run)?.isTrusted) return;
      if (isLive(state)) noteLive(agent, state, report, isTrusted);
      else if (state === 'done') noteDone(agent, report);
      else remove(agent, run, 'ended', clock.now());
    },

    async list({ isOperator }) {
      await loading;
      sweep();
      const ids = [...new Set([...live.keys(), ...done.keys()])].sort();
      const agents = ids.flatMap((id) => statusOf(id, isOperator) ?? []);
      const count = (wanted: AgentStatus['state']) => agents.filter(({ state }) => state === wanted).length;
      return { running: count('running'), waiting: count('waiting'), agents };
    },

    async showTerminal(agent) {
      await requireAgent(agent);
      sweep();
      const terminal = terminalOf(agent);
      if (!terminal)
        throw new AppError(
          'terminal_not_shown',
          'No run of this agent reported its terminal. It does so with the extension dot-mi-status.ts of this version, from its next run on.',
        );
      await terminals.show(terminal);
    },

    forget(agent) {
      for (const run of live.get(agent)?.keys() ?? []) remove(agent, run, 'ended', clock.now());
      if (done.delete(agent)) writeSoon();
    },

    start: reportWaiting,

    async close() {
      cancelSweep?.();
      cancelPublish?.();
      // A scheduled write may still be running.
      await (cancelWrite ? write() : writing);
    },
  };
};
