import { expect, test } from 'vitest';
import type { EndpointShape } from '../../src/shared/api/endpoint.ts';
import { endpoints } from '../../src/shared/api/index.ts';
import { KEY_SCOPES, type KeyScope } from '../../src/shared/api/key-scopes.ts';
import { LINK_KINDS } from '../../src/shared/api/names.ts';
import { makeRoot } from '../support/root.ts';
import { serve, type TestServer } from '../support/server.ts';

/** Every route with every scope, for the key's own agent and another one. */

/**
 * The operation ids of the routes that a scope opens. This list is on purpose: a route that an agent key may use
 * is a decision of its own, so it is written down in the contract and here.
 */
const OPENED_ALONE: Readonly<Record<KeyScope, readonly string[]>> = {
  prices: [
    'pricing.tokens',
    'pricing.quote',
    'pricing.btc',
    'pricing.models',
    'pricing.refresh',
    'pricing.history',
  ],
  receive: ['wallet.validate', 'wallet.receive', 'wallet.operation', 'wallet.balance', 'wallet.mint'],
  charge: [
    'charges.create',
    'charges.quote',
    'charges.open-and-pay',
    'charges.pay',
    'charges.settle',
    'charges.release',
    'charges.refund',
    'charges.list',
    'charges.get',
    'prepaid-balances.open',
    'prepaid-balances.read',
    'prepaid-balances.top-up',
    'services.check',
    'prepaid-balances.refund',
  ],
  'read-agents': [
    'agents.list',
    'agents.get',
    'profiles.list',
    'budgets.list',
    'budgets.get',
    'status.list',
    'agents.runCommand',
    'prompt.get',
    'files.entries',
    'cost.get',
    'readiness.get',
    'readiness.list',
    'files.read',
    'json-files.read',
    'mcp.get',
    'pi-models.get',
    'mcp.list',
    'pi-settings.get',
    'packages.get',
    ...LINK_KINDS.flatMap((kind) => [`catalog.${kind}`, `catalog.${kind}.usage`]),
    'catalog.skills.text',
    'catalog.prompts.text',
    'catalog.themes.text',
    'presets.list',
    'presets.read',
    'checks.count',
    'checks.agent',
    'checks.skill',
    'links.count',
    'links.matrix',
    ...LINK_KINDS.map((kind) => `links.${kind}.list`),
    'search.prompts',
    'usage.get',
    'usage.lastRuns',
    'earnings.get',
  ],
  'write-agent': [
    'files.write',
    'checks.fix',
    'changes.undo',
    ...LINK_KINDS.flatMap((kind) => [`links.${kind}.create`, `links.${kind}.remove`]),
  ],
  spend: ['wallet.send', 'wallet.operation', 'wallet.balance', 'wallet.mint'],
};

/** Each key may ask what it is, and report what its agent does. A scope that lets a key read something also lets it follow that. */
const OPENED = Object.fromEntries(
  KEY_SCOPES.map((scope) => [
    scope,
    [
      ...OPENED_ALONE[scope],
      'keys.own',
      'status.report',
      ...(scope === 'write-agent' || scope === 'charge' ? [] : ['events.stream']),
    ],
  ]),
) as Record<KeyScope, string[]>;

/** Of those, the routes about an agent that only its own key may use. */
// What a key changed itself is its own, whatever its agent.
const OF_OWN_AGENT = ['status.report', 'services.check', ...OPENED_ALONE['write-agent']].filter(
  (id) => id !== 'changes.undo',
);

const guarded = endpoints.filter(({ access }) => access !== 'open');

const opened = ({ id }: EndpointShape, scope: KeyScope) => OPENED[scope].includes(id);

test('the contract says for each route whether agent keys may use it, as decided here', () => {
  expect(guarded.filter(({ keys }) => keys === undefined).map(({ id }) => id)).toEqual([]);
  for (const scope of KEY_SCOPES) {
    const ids = guarded
      .filter(({ keys = [] }) => keys !== 'none' && keys.includes(scope))
      .map(({ id }) => id);
    expect([scope, ids.sort()]).toEqual([scope, [...OPENED[scope]].sort()]);
  }
  const ofOwn = guarded.filter(({ ownAgent }) => ownAgent);
  expect(ofOwn.map(({ id }) => id).sort()).toEqual([...OF_OWN_AGENT].sort());
  // The check compares `:id` with the key's agent.
  expect(ofOwn.filter(({ path }) => !path.startsWith('/api/agents/:id/'))).toEqual([]);
});

const pathFor = ({ path }: EndpointShape, agent: string) =>
  path.replaceAll(/:(\w+)/g, (_, name) => (name === 'id' ? agent : 'x'));

/** What is expected of a route: `passed` means that the key didn't stop the request. */
const expected = (endpoint: EndpointShape, scope: KeyScope, isOwn: boolean) =>
  !opened(endpoint, scope)
    ? endpoint.access === 'operator' && endpoint.keys === 'none'
      ? 'operator_required'
      : 'forbidden_scope'
    : OF_OWN_AGENT.includes(endpoint.id) && !isOwn
      ? 'forbidden_agent'
      : 'passed';

const REFUSALS = ['unauthorized', 'operator_required', 'forbidden_scope', 'forbidden_agent'];

const outcome = async (server: TestServer, { method }: EndpointShape, path: string, key?: string) => {
  const response = await fetch(`${server.url}${path}`, {
    method,
    // Whatever passes the check changes nothing.
    ...(method === 'GET' ? {} : { body: '{"unknownField":1}' }),
    headers: {
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }),
    },
  });
  const text = response.headers.get('content-type')?.includes('json') ? await response.text() : '{}';
  await response.body?.cancel().catch(() => undefined);
  const { code } = JSON.parse(text);
  return REFUSALS.includes(code) ? code : 'passed';
};

const keyWith = async (server: TestServer, scope: KeyScope, agent: string | undefined) => {
  const { body } = await server.call(
    'POST',
    '/api/keys',
    {
      label: scope,
      scopes: [scope],
      ...(agent === undefined ? {} : { agent }),
      ...(scope === 'spend' ? { spend: { satsPerDay: 1 } } : {}),
    },
    { Authorization: `Bearer ${server.operatorToken}` },
  );
  return body.key as string;
};

test('every route answers every scope as decided, for the own and a foreign agent', async () => {
  const root = await makeRoot({ 'agents/courier/SYSTEM.md': 'You carry.\n' });
  const server = await serve(root);
  const differing: string[] = [];
  for (const scope of KEY_SCOPES) {
    const key = await keyWith(server, scope, 'scout');
    for (const endpoint of guarded)
      for (const agent of endpoint.path.includes('/:id') ? ['scout', 'courier'] : ['scout']) {
        const path = pathFor(endpoint, agent);
        const seen = await outcome(server, endpoint, path, key);
        if (seen !== expected(endpoint, scope, agent === 'scout'))
          differing.push(`${scope}: ${endpoint.method} ${path} ${seen}`);
      }
  }
  expect(differing).toEqual([]);

  // A key of no agent is nobody's own.
  const key = await keyWith(server, 'read-agents', undefined);
  const reports = guarded.filter(({ id }) => id === 'status.report');
  expect(reports).toHaveLength(1);
  for (const endpoint of reports)
    expect(await outcome(server, endpoint, pathFor(endpoint, 'scout'), key)).toBe('forbidden_agent');
});

test('with REQUIRE_KEYS every route that is not open needs a key, and otherwise only those of the operator', async () => {
  const withoutToken = async (environment: Record<string, string>) => {
    const server = await serve(await makeRoot(), { environment });
    const answers = guarded.map(async (endpoint) => ({
      ...endpoint,
      seen: await outcome(server, endpoint, pathFor(endpoint, 'scout')),
    }));
    return (await Promise.all(answers)).filter(({ seen }) => seen === 'passed').map(({ id }) => id);
  };
  expect(await withoutToken({ REQUIRE_KEYS: 'true' })).toEqual([]);
  expect(await withoutToken({})).toEqual(
    guarded.filter(({ access }) => access === 'api').map(({ id }) => id),
  );
});
