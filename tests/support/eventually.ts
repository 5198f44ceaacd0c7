import { vi } from 'vitest';
import { PATIENCE_MS } from './patience.ts';

/**
 * Repeats a check until it no longer throws, and returns its result. Like `until`, but for `expect`: the failure says
 * what was expected. Fake timers move forward with each repetition.
 */
export const eventually = <T>(check: () => T | Promise<T>, interval = 10): Promise<T> =>
  vi.waitFor(check, { timeout: PATIENCE_MS, interval });
