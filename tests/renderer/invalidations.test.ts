import { describe, expect, it } from 'vitest';
import { after, EVERYTHING, staleKeys } from '../../src/renderer/src/api/invalidations.ts';

describe('staleKeys', () => {
  it('names the list, the trash, the summaries and the files of the agents that changed', () => {
    expect(staleKeys({ name: 'agents', data: { ids: ['a', 'b'], files: ['SYSTEM.md'] } })).toEqual([
      ['agent-list'],
      ['profiles'],
      ['matrix'],
      ['trash'],
      ['checks', 'counts'],
      ['checks', 'agent', 'a'],
      ['checks', 'agent', 'b'],
      ['agent', 'a', 'summary'],
      ['agent', 'a', 'entries'],
      ['agent-prompt', 'a'],
      ['agent', 'a', 'file', 'SYSTEM.md'],
      ['agent', 'b', 'summary'],
      ['agent', 'b', 'entries'],
      ['agent-prompt', 'b'],
      ['agent', 'b', 'file', 'SYSTEM.md'],
    ]);
  });

  it('names every file when the event does not say which', () => {
    const files = staleKeys({ name: 'agents', data: { ids: ['a'], files: null } }).filter(
      (key) => key[2] === 'file',
    );
    expect(files).toHaveLength(5);
  });

  it('names the entries, checks, prompt, links and spending of an agent when a file changed that no tab edits', () => {
    expect(staleKeys({ name: 'entries', data: { ids: ['a'] } })).toEqual([
      ['agent', 'a', 'entries'],
      ['checks', 'agent', 'a'],
      ['agent-prompt', 'a'],
      ['links', 'a'],
      ['sessions', 'a'],
      ['matrix'],
      ['checks', 'counts'],
      ['profiles'],
      ['wallet', 'earnings'],
      ['budgets'],
      ['sign-ins'],
    ]);
  });

  it('names the sessions of an agent, and what all agents spent of their budgets', () => {
    expect(staleKeys({ name: 'sessions', data: { ids: ['a'] } })).toEqual([
      ['wallet', 'earnings'],
      ['budgets'],
      ['sessions', 'a'],
    ]);
  });

  it('names the links of the agents concerned, their counts and which agents use what', () => {
    expect(staleKeys({ name: 'links', data: { ids: ['a'] } })).toEqual([
      ['links', 'a'],
      ['checks', 'agent', 'a'],
      ['agent-prompt', 'a'],
      ['link-counts'],
      ['matrix'],
      ['usage'],
      ['checks', 'counts'],
      ['profiles'],
    ]);
  });

  it('names all links with a catalog, since their targets may be missing', () => {
    expect(staleKeys({ name: 'catalog', data: { kinds: ['skills'] } })).toEqual([
      ['catalog', 'skills'],
      ['links'],
      ['link-counts'],
      ['matrix'],
      ['usage'],
      ['checks'],
      ['agent-prompt'],
      ['presets'],
    ]);
  });

  it('names the agent keys', () => {
    expect(staleKeys({ name: 'keys', data: {} })).toEqual([['wallet', 'agent-keys']]);
  });

  it('names the settings, the trust in the root and the signed-in browsers', () => {
    expect(staleKeys({ name: 'settings', data: {} })).toEqual([
      ['settings'],
      ['health'],
      ['root-trust'],
      ['page-keys'],
    ]);
  });

  it('names the limits of the agents when one changes or is reached', () => {
    expect(staleKeys({ name: 'budgets', data: { ids: null, reached: null } })).toEqual([['budgets']]);
  });

  it('names what agents do when one begins to run or to wait', () => {
    expect(staleKeys({ name: 'status', data: { ids: ['a'] } })).toEqual([['status']]);
  });

  it('names all of the wallet except the checks of tokens', () => {
    const data = { balance: null, pending: null, operation: null };
    expect(staleKeys({ name: 'wallet', data })).toEqual([['wallet']]);
  });

  it('names the balance for the progress of a search, and all of the wallet when it ends', () => {
    const restore = { keysetsDone: 1, keysets: 2, counters: 300, sats: 0 };
    const nothing = { balance: null, pending: null, operation: null };
    const progress = { balance: 5, pending: 0, operation: null, restore };
    expect(staleKeys({ name: 'wallet', data: progress })).toEqual([['wallet', 'balance']]);
    expect(staleKeys({ name: 'wallet', data: { ...nothing, restore: null } })).toEqual([['wallet']]);
    const operation = { id: 'one', kind: 'restore', state: 'completed' } as const;
    expect(staleKeys({ name: 'wallet', data: { ...nothing, operation, restore } })).toEqual([['wallet']]);
  });

  it('names all of pricing and the costs, and the checks with the models, which they know by their prices', () => {
    expect(staleKeys({ name: 'price', data: { btc: null, models: false } })).toEqual([
      ['pricing'],
      ['agent-prompt'],
    ]);
    expect(staleKeys({ name: 'price', data: { btc: null, models: true } })).toEqual([
      ['pricing'],
      ['agent-prompt'],
      ['checks'],
    ]);
  });

  it('names everything when an event does not say which agents', () => {
    expect(staleKeys({ name: 'agents', data: { ids: null, files: null } })).toEqual([EVERYTHING]);
    expect(staleKeys({ name: 'links', data: { ids: null } })).toEqual([EVERYTHING]);
  });
});

it('refetches after a change of this page what the server’s event would refetch', () => {
  expect(after.links('scout')).toEqual(staleKeys({ name: 'links', data: { ids: ['scout'] } }));
  expect(after.entries('scout', 'writer')).toEqual(
    staleKeys({ name: 'entries', data: { ids: ['scout', 'writer'] } }),
  );
  const crowd = Array.from({ length: 51 }, (_, at) => `agent-${at}`);
  expect(after.agents(...crowd)).toEqual([EVERYTHING]);
});
