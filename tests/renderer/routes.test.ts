import { describe, expect, it } from 'vitest';
import { type PageRoute, parsePath, paths } from '../../src/renderer/src/routes.ts';
import { PAGE_VIEWS, pathOfView } from '../../src/shared/desktop-bridge.ts';

describe('parsePath', () => {
  it.each<[string, PageRoute]>([
    ['/', { name: 'overview' }],
    ['/agents', { name: 'agents' }],
    ['/agents/', { name: 'agents' }],
    ['/agents/scout', { name: 'agent', id: 'scout', section: { kind: 'files', file: 'SYSTEM.md' } }],
    [
      '/agents/scout/files/pi-args',
      { name: 'agent', id: 'scout', section: { kind: 'files', file: 'pi-args' } },
    ],
    ['/agents/scout/skills', { name: 'agent', id: 'scout', section: { kind: 'skills' } }],
    ['/agents/scout/extensions', { name: 'agent', id: 'scout', section: { kind: 'extensions' } }],
    ['/agents/scout/sell', { name: 'agent', id: 'scout', section: { kind: 'sell' } }],
    ['/agents/scout/activity', { name: 'agent', id: 'scout', section: { kind: 'activity' } }],
    ['/agents/scout/history', { name: 'agent', id: 'scout', section: { kind: 'history' } }],
    ['/agents/scout/sessions', { name: 'agent', id: 'scout', section: { kind: 'sessions', session: null } }],
    [
      '/agents/scout/sessions/a%2Fb',
      { name: 'agent', id: 'scout', section: { kind: 'sessions', session: 'a/b' } },
    ],
    ['/agents/scout/prompt', { name: 'agent', id: 'scout', section: { kind: 'prompt' } }],
    ['/catalog', { name: 'catalog', kind: 'skills', entry: null }],
    ['/catalog/extensions', { name: 'catalog', kind: 'extensions', entry: null }],
    ['/catalog/extensions/say.ts', { name: 'catalog', kind: 'extensions', entry: 'say.ts' }],
    // The router has decoded a part of it.
    ['/catalog/skills/git %23 1', { name: 'catalog', kind: 'skills', entry: 'git # 1' }],
    ['/catalog/skills/50% off', { name: 'catalog', kind: 'skills', entry: '50% off' }],
    ['/catalog/other', { name: 'unknown' }],
    ['/wallet', { name: 'wallet' }],
    ['/pricing', { name: 'pricing' }],
    ['/connect', { name: 'api', route: null }],
    ['/connect/routes/agents.list', { name: 'api', route: 'agents.list' }],
    ['/connect/nowhere', { name: 'unknown' }],
    ['/trash', { name: 'trash' }],
    ['/settings', { name: 'settings', section: null }],
    ['/agents//files', { name: 'unknown' }],
    ['/agents/scout/files/passwd', { name: 'unknown' }],
    ['/agents/scout/files', { name: 'unknown' }],
    ['/agents/scout/skills/x', { name: 'unknown' }],
    ['/agents/scout/files/pi-args/x', { name: 'unknown' }],
    ['/wallet/x', { name: 'unknown' }],
    ['/nowhere', { name: 'unknown' }],
  ])('reads %s', (path, page) => {
    expect(parsePath(path)).toEqual(page);
  });

  it('reads the paths that paths.agent writes', () => {
    for (const section of [
      { kind: 'files', file: 'AGENT.md' },
      { kind: 'skills' },
      { kind: 'extensions' },
    ] as const) {
      expect(parsePath(paths.agent('a.b_c-1', section))).toEqual({ name: 'agent', id: 'a.b_c-1', section });
    }
  });
});

it('the views that a notification opens are at the paths of the page', () => {
  expect(PAGE_VIEWS).toEqual({ wallet: paths.wallet, overview: paths.overview });
  expect(pathOfView('wallet')).toBe(paths.wallet);
  expect(parsePath(pathOfView('agent:a.b_c-1') ?? '')).toMatchObject({ name: 'agent', id: 'a.b_c-1' });
  for (const other of ['toString', 'agent:', 'agent:../x', 'agent:a/b', 'agent:-a'])
    expect(pathOfView(other)).toBeUndefined();
});
