import { expect, it } from 'vitest';
import { ApiError } from '../../src/renderer/src/api/client.ts';
import {
  directoriesProblem,
  mintProblem,
  sourcesIn,
  sourcesProblem,
  wholeProblem,
} from '../../src/renderer/src/features/settings/setting-problems.ts';
import { sentenceOf } from '../../src/renderer/src/features/settings/use-settings.ts';
import { parsePath, paths, SETTINGS_SECTIONS } from '../../src/renderer/src/routes.ts';

it('says what a value must be, with the label of its field', () => {
  const port = (text: string) => wholeProblem('port', text);
  expect(['0', '8000', ' 65535 '].map(port)).toEqual([undefined, undefined, undefined]);
  for (const wrong of ['', 'abc', '-1', '1.5', '65536'])
    expect(port(wrong)).toBe('Port must be a whole number from 0 to 65,535.');
  const interval = (text: string) => wholeProblem('btcRefreshIntervalSeconds', text);
  expect(['30', '86400'].map(interval)).toEqual([undefined, undefined]);
  for (const wrong of ['soon', '29', '86401', '60.5', ''])
    expect(interval(wrong)).toBe('Price interval must be a whole number from 30 to 86,400.');
  expect(['https://mint.example', 'http://127.0.0.1:3338/x'].map(mintProblem)).toEqual([
    undefined,
    undefined,
  ]);
  for (const wrong of ['', 'mint.example', 'ftp://mint.example'])
    expect(mintProblem(wrong)).toMatch(/^Mint must be a web address, such as https:/);
  expect(sourcesIn('coinbase, kraken,,')).toEqual(['coinbase', 'kraken']);
  expect(sourcesProblem(' , ')).toBe('Price sources must name at least one source, such as coinbase.');
  expect(directoriesProblem('')).toBeUndefined();
  expect(directoriesProblem('~/pi')).toMatch(/^Enter each folder as agent=folder/);
});

it('says the server’s sentence about a setting with its label, not with its variable', () => {
  const setting = { label: 'Price sources', variable: 'BTC_PRICE_SOURCES' };
  const errorOf = (message: string, issue?: string) =>
    new ApiError(400, 'invalid_request', message, {
      error: message,
      code: 'invalid_request',
      ...(issue === undefined ? {} : { issues: [{ path: 'body.btcSources', message: issue }] }),
    });
  const wrong = 'BTC_PRICE_SOURCES must be a comma-separated list of coinbase, not "kraken2".';
  const said = 'Price sources must be a comma-separated list of coinbase, not "kraken2".';
  expect(sentenceOf(errorOf('Something is wrong.', wrong), setting)).toBe(said);
  expect(sentenceOf(errorOf(wrong), setting)).toBe(said);
  // Where only the variable can be changed, it must be named.
  const overridden = 'The environment variable BTC_PRICE_SOURCES sets this.';
  expect(sentenceOf(errorOf(overridden), setting)).toBe(overridden);
  expect(sentenceOf(errorOf(wrong))).toBe(wrong);
  expect(sentenceOf(null, setting)).toBeUndefined();
});

it('has an address for each section of the settings', () => {
  expect(parsePath(paths.settings)).toEqual({ name: 'settings', section: null });
  for (const section of SETTINGS_SECTIONS)
    expect(parsePath(paths.settingsOf(section))).toEqual({ name: 'settings', section });
  expect(parsePath('/settings/nowhere')).toEqual({ name: 'unknown' });
  expect(parsePath('/settings/server/port')).toEqual({ name: 'unknown' });
});
