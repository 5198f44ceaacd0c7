import { readFileSync } from 'node:fs';

const MICROSECONDS_PER_MS = 1_000;

/** The processor time of this thread, in ms. */
export const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROSECONDS_PER_MS;
};

/** Linux counts in these steps (proc_pid_stat(5), sysconf(_SC_CLK_TCK)). */
const TICKS_PER_SECOND = 100;

/** The processor time of a process in all its threads, in seconds. NaN where the system doesn't say. */
export const processorSeconds = (pid: number): number => {
  try {
    // The name is in parentheses, and may contain any others.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  } catch {
    return Number.NaN;
  }
};
