// Runs inside a server (`node --import`): tells the bench over IPC what the server's event loop did in a span of time.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** What the bench asks: begin a span, or end it and tell. */
export type ProbeQuestion = 'begin' | 'end';

/** What the main thread did between `begin` and `end`. */
export interface LoopUse {
  /** The event loop was not waiting for events; counts time in which another process had the core. */
  activeMs: number;
  /** The thread had a core. Unlike `activeMs` it does not grow when others take the cores away. */
  cpuMs: number;
  /** All threads of the process had a core. */
  processCpuMs: number;
  elapsedMs: number;
  /** The longest the loop was late for a timer. */
  maxDelayMs: number;
}

/** How often the delay is sampled; a shorter time would keep the loop busy by itself. */
const DELAY_RESOLUTION_MS = 10;

const toMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
const cpuMs = () => toMs(process.threadCpuUsage());
const processCpuMs = () => toMs(process.cpuUsage());

const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
let begun = { atMs: 0, cpuMs: 0, processCpuMs: 0, use: performance.eventLoopUtilization() };

process.on('message', (question: ProbeQuestion) => {
  if (question === 'begin') {
    delay.reset();
    delay.enable();
    begun = {
      atMs: performance.now(),
      cpuMs: cpuMs(),
      processCpuMs: processCpuMs(),
      use: performance.eventLoopUtilization(),
    };
    process.send?.('begun');
    return;
  }
  const use: LoopUse = {
    activeMs: performance.eventLoopUtilization(begun.use).active,
    cpuMs: cpuMs() - begun.cpuMs,
    processCpuMs: processCpuMs() - begun.processCpuMs,
    elapsedMs: performance.now() - begun.atMs,
    // Of no samples the maximum is 0; each sample counts the resolution too.
    maxDelayMs: Math.max(0, delay.max / 1e6 - DELAY_RESOLUTION_MS),
  };
  delay.disable();
  process.send?.(use);
});

// The bench is gone, however it ended: so are its servers.
process.on('disconnect', () => process.exit(0));
