// For each bench of a thread, which measures that thread alone.
const MICROSECONDS_PER_MS = 1_000;

/** The processor time of this thread, in ms. */
export const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / MICROSECONDS_PER_MS;
};
