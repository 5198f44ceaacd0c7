import { describe, expect, test } from 'vitest';
import { ANYONE_READER, OPERATOR_READER, type Reader } from '../../../src/server/platform/caller.ts';
import {
  mayBeLinked,
  mayRead,
  mayShowLinked,
  type PlaceKind,
  placeKind,
} from '../../../src/server/platform/may-read.ts';

const ROOT = '/home/me/root';
const LIMITS = { root: ROOT, ownData: ['/home/me/dot-mi/data', '/srv/wallet'] };
const OWN: Reader = { kind: 'agent', agent: 'scout' };

const TABLE: Readonly<Record<PlaceKind, readonly string[]>> = {
  open: [
    ...['pi-args', 'SYSTEM.md', 'APPEND_SYSTEM.md', 'AGENT.md', 'workspace.conf'].map(
      (name) => `agents/scout/${name}`,
    ),
    ...['AGENTS.md', 'CLAUDE.md', 'AGENTS.override.md', 'README.md'].map((name) => `agents/scout/${name}`),
    'agents/scout/skills/plan/SKILL.md',
    'agents/scout/extensions/say.ts',
    'agents/scout/prompts/review.md',
    'agents/scout/themes/quiet.json',
    'shared/skills/plan/models.json',
    'AGENTS.md',
  ],
  form: [
    'shared/presets/research.json',
    'agents/scout/settings.json',
    'agents/scout/models.json',
    'agents/scout/mcp.json',
    'shared/models.json',
    'shared/models/settings.json',
  ],
  private: [
    'agents/scout/sessions/--work--/a.jsonl',
    'agents/scout/models.json.bak',
    'agents/scout/SYSTEM.md~',
    'agents/scout/mcp.log',
    'agents/scout/mcp.log.1',
    'agents/scout/crashes.json',
    'agents/scout/.notes',
    'agents/scout/skills/plan/.gitignore',
    'agents/scout/skills/.hidden/SKILL.md',
    'agents/scout/npm/node_modules/pack/skills/one/SKILL.md',
    'agents/scout/notes.txt',
    'agents/scout/trust.json',
    'agents/scout/old/models.json',
    'agents/scout',
    'workspaces/scout/2026-01-01/AGENTS.md',
    'teams/one/SYSTEM.md',
    'shared/skills/plan/run.log',
    '.trash/kept/agent/SYSTEM.md',
    '.git/config',
    'runs/sessions/a.jsonl',
  ],
  elsewhere: ['vendor/base.md', 'setup.sh', 'models.json', ''],
  login: [
    'agents/scout/auth.json',
    'agents/scout/AUTH.JSON',
    'agents/scout/mcp-auth.json',
    'agents/scout/.env',
    'agents/scout/skills/plan/server.key',
    'shared/.env.local',
    '.trash/kept/agent/auth.json',
  ],
  outside: ['/home/me/.agents/skills/one/SKILL.md', '/home/me/root2/agents/scout/SYSTEM.md'],
  own: ['/home/me/dot-mi/data/services/scout.json', '/srv/wallet/operator-token'],
};

const SEEN: Readonly<Record<PlaceKind, readonly ('operator' | 'own' | 'anyone')[]>> = {
  open: ['operator', 'own', 'anyone'],
  form: ['operator'],
  private: ['operator'],
  elsewhere: ['operator'],
  login: [],
  outside: ['operator'],
  own: [],
};

const READERS = { operator: OPERATOR_READER, own: OWN, anyone: ANYONE_READER } as const;

const placeOf = (path: string): string =>
  path.startsWith('/') ? path : path === '' ? ROOT : `${ROOT}/${path}`;

describe.each(Object.entries(TABLE) as [PlaceKind, readonly string[]][])('%s', (kind, paths) => {
  test.each(paths)('%s', (path) => {
    const place = placeOf(path);
    expect(placeKind(place, LIMITS)).toBe(kind);
    for (const [name, reader] of Object.entries(READERS))
      expect([name, mayRead(reader, place, LIMITS)]).toEqual([
        name,
        SEEN[kind].includes(name as 'operator') ? 'yes' : 'hidden',
      ]);
  });
});

test('a prompt that is a link shows no settings, not even to the operator', () => {
  expect(mayShowLinked(OPERATOR_READER, placeOf('agents/scout/models.json'), ROOT)).toBe(false);
  expect(mayShowLinked(OPERATOR_READER, placeOf('vendor/base.md'), ROOT)).toBe(true);
  expect(mayShowLinked(ANYONE_READER, placeOf('vendor/base.md'), ROOT)).toBe(false);
  expect(mayShowLinked(ANYONE_READER, placeOf('shared/skills/plan/SKILL.md'), ROOT)).toBe(true);
});

test('lists follow a link to settings only where they read settings', () => {
  const shared = placeOf('shared/models.json');
  expect(mayBeLinked(placeOf('agents/scout/models.json'), shared, ROOT)).toBe(true);
  expect(mayBeLinked(placeOf('agents/scout/SYSTEM.md'), shared, ROOT)).toBe(false);
  expect(mayBeLinked(placeOf('shared/themes/quiet.json'), shared, ROOT)).toBe(false);
});
