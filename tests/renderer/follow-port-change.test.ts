import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followPortChange } from '../../src/renderer/src/shell/use-port-change.ts';

let isHere: boolean;
const onGone = vi.fn();
const onStayed = vi.fn();
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  isHere = true;
  stop = followPortChange({ respondsHere: async () => isHere, onGone, onReverted: onStayed });
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

it('a server that is silent for a while has moved, which is reported once', async () => {
  await vi.advanceTimersByTimeAsync(1000);
  isHere = false;
  await vi.advanceTimersByTimeAsync(700);
  expect(onGone).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(5000);
  expect(onGone).toHaveBeenCalledOnce();
  expect(onStayed).not.toHaveBeenCalled();
});

it('a server that returns has stayed, also after it counted as moved', async () => {
  isHere = false;
  await vi.advanceTimersByTimeAsync(2000);
  isHere = true;
  await vi.advanceTimersByTimeAsync(2000);
  expect(onStayed).toHaveBeenCalledOnce();
});

it('a server that never falls silent has stayed', async () => {
  await vi.advanceTimersByTimeAsync(5000);
  expect(onStayed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(5000);
  expect(onStayed).toHaveBeenCalledOnce();
});

it('a caller that stops gets no further report', async () => {
  isHere = false;
  stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(onGone).not.toHaveBeenCalled();
});
