import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** What the figures were measured on. */
export interface Machine {
  date: string;
  node: string;
  system: string;
  cores: number;
  processor: string;
  memoryGiB: number;
  /** Of the last minute; above the number of cores others slow the measurement down. */
  loadAverage: number;
}

/** Looks at this machine now. */
export const lookAtMachine = (): Machine => ({
  date: new Date().toISOString(),
  node: process.version,
  system: `${type()} ${release()} ${process.arch}`,
  cores: cpus().length,
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  loadAverage: loadavg()[0] ?? Number.NaN,
});
