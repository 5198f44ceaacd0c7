import { join } from 'node:path';
import type { EndpointShape } from '../../../src/shared/api/endpoint.ts';
import { endpoints } from '../../../src/shared/api/index.ts';
import { KEY_SCOPES } from '../../../src/shared/api/key-scopes.ts';
import { EDITABLE_FILES, FORM_FILES } from '../../../src/shared/api/names.ts';
import { followEvents } from '../../support/follow.ts';
import { keepLog } from '../../support/kept-log.ts';
import { MARKED_SESSION, type MarkedRoot, makeMarkedRoot } from '../../support/marked-root.ts';
import { serve } from '../../support/server.ts';

/** Routes that would stop the other requests, or that answer to no request of this kind. */
const LEFT_OUT = ['agents.delete', 'events.stream', 'operatorToken.renew', 'settings.change', 'root.setUp'];

const OF_ANY_KEY: readonly string[] = ['read-agents', 'prices', 'receive'];

const SECRET_TEXT = 'qx7';

/** Bodies that pass the schema of a route, so that its own code responds. */
const bodiesOf = (agent: string): Readonly<Record<string, readonly object[]>> => ({
  'agents.create': [{ name: `made-${agent}`.slice(0, 40) }],
  'agents.duplicate': [{ name: `copy-${agent}`.slice(0, 40) }],
  'files.write': [...EDITABLE_FILES, 'mcp.json'].map((path) => ({ path, content: 'You wrote.\n' })),
  'links.bulk': [{ changes: [{ kind: 'skills', name: 'git-summary', agents: [agent], linked: true }] }],
  'checks.fix': [
    {
      findings: [{ rule: 'model-unknown', file: 'pi-args', line: 1, column: 1 }],
      etags: { 'pi-args': '"0"' },
    },
  ],
  'presets.write': [{ mcpServersFrom: { docs: 'rover' } }],
  'presets.apply': [{ agents: ['scout'] }],
  'status.report': [{ state: 'working' }],
  'wallet.validate': [{ token: 'cashuBx' }],
  'wallet.receive': [{ token: 'cashuBx' }],
  'wallet.send': [{ amount: 1 }],
  'charges.create': [{ amount: 1, agent }],
  'pricing.refresh': [{}],
});

const queriesOf = (id: string, root: string): readonly string[] => {
  switch (id) {
    case 'files.read':
      return EDITABLE_FILES.map((path) => `?path=${path}`);
    case 'prompt.get': {
      const workspace = encodeURIComponent(join(root, 'workspaces/rover/2026-01-01'));
      const sessions = encodeURIComponent(join(root, 'agents/rover/sessions'));
      return ['', `?cwd=${workspace}&trusted=true`, `?cwd=${sessions}`, '?piVersion=0.73'];
    }
    case 'search.prompts':
      return [`?q=${SECRET_TEXT}`];
    case 'usage.sessions':
      return ['', `?q=${SECRET_TEXT}`];
    case 'pricing.tokens':
    case 'pricing.quote':
      return ['?model=small'];
    default:
      return [''];
  }
};

/** Returns the requests that an endpoint is asked with, for each agent. */
function* requestsFor(
  { id, method, path }: EndpointShape,
  { path: root, attackers }: MarkedRoot,
): Generator<{ method: string; path: string; body?: object }> {
  const agents = path.includes(':id') ? ['scout', 'rover', ...attackers] : ['scout'];
  const names =
    method !== 'GET'
      ? ['leak', 'docs']
      : ['leak', 'own', 'git-summary', 'docs', ...attackers.map((name) => name.replace('link-', 'leak-'))];
  for (const agent of agents) {
    const filled = path
      .replace(':id', agent)
      .replace(':agent', agent)
      .replace(':session', MARKED_SESSION)
      .replace(':entry', 'kept');
    const endings: readonly string[] = id.endsWith('.themes.text')
      ? ['.json']
      : id.endsWith('.prompts.text')
        ? ['.md']
        : [''];
    const paths = filled.includes(':name')
      ? names.flatMap((name) => endings.map((ending) => filled.replace(':name', `${name}${ending}`)))
      : filled.includes(':file')
        ? FORM_FILES.map((file) => filled.replace(':file', file))
        : [filled];
    for (const each of paths) {
      const address = each.replaceAll(/:\w+/g, 'x');
      const queries = queriesOf(id, root);
      const own = path.includes('/text')
        ? ['', ...attackers.map((attacker) => `?agent=${attacker}`)]
        : queries;
      for (const query of method === 'GET' ? own : ['']) {
        const bodies = method === 'GET' ? [undefined] : (bodiesOf(agent)[id] ?? [{}]);
        for (const body of bodies) yield { method, path: `${address}${query}`, ...(body ? { body } : {}) };
      }
    }
  }
}

/** What the callers of a marked root got. */
export interface Asked {
  /** Each response with a marker that its caller mustn't see. */
  readonly leaks: readonly string[];
  readonly count: number;
  /** Markers that callers without the operator token saw. */
  readonly seen: ReadonlySet<string>;
}

interface Sample {
  /** The places that links end at. Default: all. */
  readonly places?: readonly string[];
  /** Asks only these GET routes, only without a token. Default: all routes. */
  readonly routes?: readonly string[];
}

/** Asks every route as every caller, with events and the log, and looks for the markers. */
export const askAll = async ({ places, routes }: Sample = {}): Promise<Asked> => {
  const marked = await makeMarkedRoot(places);
  const log = keepLog('marked');
  const server = await serve(marked.path, { dataDirectory: marked.dataDirectory, logLines: log });
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  const keyFor = async (agent?: string) => {
    // Only a key with an agent can have the other scopes.
    const scopes = KEY_SCOPES.filter((scope) => (agent ? scope !== 'spend' : OF_ANY_KEY.includes(scope)));
    const { status, body } = await server.call(
      'POST',
      '/api/keys',
      { label: 'x', scopes, ...(agent ? { agent } : {}) },
      operator,
    );
    if (status !== 201) throw new Error(JSON.stringify(body));
    return { Authorization: `Bearer ${body.key}` };
  };
  const callers = {
    anyone: {},
    'own key': await keyFor('scout'),
    'key without an agent': await keyFor(),
    operator,
  } as const;
  const leaks: string[] = [];
  const seen = new Set<string>();
  let count = 0;
  const look = (caller: string, what: string, text: string) => {
    for (const marker of [...marked.never, ...(caller === 'operator' ? [] : marked.hidden)])
      if (text.includes(marker)) leaks.push(`${caller}: ${what}: ${marker}`);
    if (caller !== 'operator') for (const marker of marked.open) if (text.includes(marker)) seen.add(marker);
  };
  const streams = await Promise.all(
    Object.entries(callers).map(
      async ([caller, headers]) => [caller, await followEvents(server.url, headers)] as const,
    ),
  );
  for (const [caller, headers] of Object.entries(callers)) {
    if (routes && caller !== 'anyone') continue;
    const isReading = routes !== undefined || caller === 'operator';
    const asked = endpoints
      .filter(({ id, method }) => !LEFT_OUT.includes(id) && (!isReading || method === 'GET'))
      .filter(({ id }) => routes?.includes(id) ?? true)
      // Changes come last, because they can replace what the others read.
      .sort((a, b) => Number(a.method !== 'GET') - Number(b.method !== 'GET'));
    for (const endpoint of asked)
      for (const { method, path, body } of requestsFor(endpoint, marked)) {
        const response = await fetch(`${server.url}${path}`, {
          method,
          headers: { ...headers, ...(body ? { 'Content-Type': 'application/json' } : {}) },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        count++;
        look(
          caller,
          `${method} ${path}`,
          `${await response.text()}\n${JSON.stringify([...response.headers])}`,
        );
      }
  }
  for (const [caller, { events }] of streams) look(caller, 'events', JSON.stringify(events));
  look('log', 'the log', log.text());
  return { leaks, count, seen };
};
