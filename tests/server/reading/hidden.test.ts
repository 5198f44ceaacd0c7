import { expect, test } from 'vitest';
import { askAll } from './ask-all.ts';

/** All places, callers and routes take minutes: `slow/hidden-everywhere.test.ts`. */

const ROUTES = [
  ...[
    'files.read',
    'json-files.read',
    'files.entries',
    'pi-settings.get',
    'pi-models.get',
    'mcp.get',
    'mcp.list',
  ],
  ...['packages.get', 'checks.agent', 'agents.runCommand', 'search.prompts', 'profiles.list', 'prompt.get'],
  ...['catalog.prompts', 'catalog.themes.text'],
];

test('no route shows another agent’s models.json to a caller without a token', async () => {
  const { leaks, count, seen } = await askAll({ places: ['models'], routes: ROUTES });
  expect(leaks).toEqual([]);
  expect(count).toBeGreaterThan(90);
  // The same requests show what everybody may see.
  expect([...seen].sort()).toEqual(['zz-open-context-qx7', 'zz-open-skill-qx7', 'zz-open-system-qx7']);
});
