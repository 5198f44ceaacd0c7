/** Any route is found in one guess, as docs/architecture.md says. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { EndpointShape } from '../../src/shared/api/endpoint.ts';
import { endpoints } from '../../src/shared/api/index.ts';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));

/** The feature of `/api/agents/:id/<x>`, where its name differs. All other names are those of features, or an agent's. */
const OF_AGENT: Readonly<Record<string, string>> = {
  budget: 'budgets',
  file: 'files',
  json: 'json-files',
  models: 'pi-models',
  settings: 'pi-settings',
  extensions: 'links',
  skills: 'links',
  'run-command': 'agents',
  duplicate: 'agents',
};

/** The index of the API, and the checks of a shared skill, which are its own and the checks'. */
const OTHERS: Readonly<Record<string, string>> = {
  '/api': 'openapi',
  '/api/openapi.json': 'openapi',
  '/api/catalog/skills/:name/checks': 'checks',
};

/** The files of the features that are in one room. */
const SELLING: Readonly<Record<string, string>> = {
  charges: 'selling/charges.ts',
  'prepaid-balances': 'selling/charges.ts',
  earnings: 'selling/earnings.ts',
  services: 'selling/index.ts',
};

const featureOf = (path: string): string => {
  const [feature = '', , ofAgent] = path.split('/').slice(2);
  const other = OTHERS[path];
  if (other !== undefined) return other;
  return feature === 'agents' && ofAgent !== undefined ? (OF_AGENT[ofAgent] ?? ofAgent) : feature;
};

const isEndpoint = (value: unknown): value is EndpointShape => endpoints.some((one) => one === value);

/** The endpoints that a module exports, one by one or in an object. */
const endpointsIn = (value: unknown): EndpointShape[] => {
  if (isEndpoint(value)) return [value];
  const isGroup = typeof value === 'object' && value !== null && value.constructor === Object;
  return isGroup ? Object.values(value).flatMap(endpointsIn) : [];
};

test('each route is in the contract file and the index.ts of the feature that its path names', async () => {
  const folder = join(SOURCE, 'shared/api');
  const misplaced: string[] = [];
  let found = 0;
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.ts') && name !== 'index.ts')) {
    const exported: Record<string, unknown> = await import(join(folder, file));
    for (const [name, value] of Object.entries(exported)) {
      for (const { path } of endpointsIn(value)) {
        found++;
        const feature = featureOf(path);
        const handlers = SELLING[feature] ?? `${feature}/index.ts`;
        const text = await readFile(join(SOURCE, 'server', handlers), 'utf8').catch(() => '');
        if (basename(file, '.ts') !== feature || !text.includes(name)) misplaced.push(`${path} in ${file}`);
      }
    }
  }
  expect(misplaced).toEqual([]);
  expect(found).toBe(endpoints.length);
});
