import type { Page } from 'playwright';
import { percentile } from '../statistics.ts';

/** How smooth the page was; times in ms. */
export interface Frames {
  /** Processor time of the longest task of the page's thread: what others do on the machine is not in it. */
  readonly longestTaskMs: number;
  /** The same of tasks that took at least a millisecond, at their 95th percentile. */
  readonly taskP95Ms: number;
  /** From one frame to the next, the longest. */
  readonly longestMs: number;
  readonly p95Ms: number;
  readonly count: number;
  readonly betweenMs: readonly number[];
}

interface FrameWatch {
  frameWatch: { running: boolean; times: number[] };
}

/** What the browser has, which the bench is not typed for. */
declare const requestAnimationFrame: (callback: (time: number) => void) => number;

const begin = (): void => {
  const watch = { running: true, times: [] as number[] };
  (globalThis as unknown as FrameWatch).frameWatch = watch;
  const onFrame = (time: number): void => {
    watch.times.push(time);
    if (watch.running) requestAnimationFrame(onFrame);
  };
  requestAnimationFrame(onFrame);
};

const end = (): number[] => {
  const { frameWatch } = globalThis as unknown as FrameWatch;
  frameWatch.running = false;
  return frameWatch.times;
};

interface TraceEvent {
  readonly name: string;
  readonly cat: string;
  readonly pid: number;
  readonly tid: number;
  /** Thread time, in microseconds. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

const TASKS = ['toplevel', '__metadata', 'disabled-by-default-devtools.timeline'];

/** The tasks on the main thread of any page, by their processor time in ms. */
const taskTimesMs = (trace: Buffer): number[] => {
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { traceEvents: readonly TraceEvent[] };
  const mainThreads = new Set(
    traceEvents.flatMap(({ name, args, pid, tid }) =>
      name === 'thread_name' && args.name === 'CrRendererMain' ? [`${pid}/${tid}`] : [],
    ),
  );
  return traceEvents.flatMap(({ name, pid, tid, tdur }) =>
    (name === 'RunTask' || name === 'ThreadControllerImpl::RunTask') &&
    tdur !== undefined &&
    mainThreads.has(`${pid}/${tid}`)
      ? [tdur / 1000]
      : [],
  );
};

/** Does something on the page and tells how long each frame took meanwhile. */
export const watchFrames = async (page: Page, work: () => Promise<unknown>): Promise<Frames> => {
  const browser = page.context().browser();
  if (!browser) throw new Error('a page of a browser of its own is needed');
  await browser.startTracing(page, { categories: TASKS });
  await page.evaluate(begin);
  await work();
  const times = await page.evaluate(end);
  const trace = await browser.stopTracing();
  const betweenMs = times.slice(1).map((time, i) => time - (times[i] ?? time));
  const tasksMs = taskTimesMs(trace);
  return {
    longestTaskMs: Math.max(...tasksMs),
    taskP95Ms: percentile(
      tasksMs.filter((ms) => ms >= 1),
      0.95,
    ),
    betweenMs,
    longestMs: Math.max(...betweenMs),
    p95Ms: percentile(betweenMs, 0.95),
    count: betweenMs.length,
  };
};
