import { expect, it } from 'vitest';
import {
  intervalProblem,
  mintProblem,
  portProblem,
  sourcesIn,
  sourcesProblem,
} from '../../src/renderer/src/features/settings/setting-problems.ts';
import { parsePath, paths, SETTINGS_SECTIONS } from '../../src/renderer/src/routes.ts';

it('says what to enter in place of a wrong value', () => {
  expect(['0', '8000', ' 65535 '].map(portProblem)).toEqual([undefined, undefined, undefined]);
  for (const wrong of ['', 'abc', '-1', '1.5', '65536']) expect(portProblem(wrong)).toMatch(/such as 8000/);
  expect(['30', '86400'].map(intervalProblem)).toEqual([undefined, undefined]);
  expect(intervalProblem('soon')).toMatch(/whole number/);
  expect(intervalProblem('29')).toMatch(/30 seconds or more/);
  expect(intervalProblem('86401')).toMatch(/86400 seconds or less/);
  expect(['https://mint.example', 'http://127.0.0.1:3338/x'].map(mintProblem)).toEqual([
    undefined,
    undefined,
  ]);
  for (const wrong of ['', 'mint.example', 'ftp://mint.example'])
    expect(mintProblem(wrong)).toMatch(/such as https:/);
  expect(sourcesIn('coinbase, kraken,,')).toEqual(['coinbase', 'kraken']);
  expect(sourcesProblem(' , ')).toMatch(/such as coinbase/);
});

it('has an address for each section of the settings', () => {
  expect(parsePath(paths.settings)).toEqual({ name: 'settings', section: null });
  for (const section of SETTINGS_SECTIONS)
    expect(parsePath(paths.settingsOf(section))).toEqual({ name: 'settings', section });
  expect(parsePath('/settings/nowhere')).toEqual({ name: 'unknown' });
  expect(parsePath('/settings/server/port')).toEqual({ name: 'unknown' });
});
