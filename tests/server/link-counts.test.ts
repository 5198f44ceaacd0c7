import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../support/raw-http.ts';
import { untilSettled } from '../support/settled.ts';
import { shareServer } from '../support/shared-server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const { makeRoot, serve } = shareServer();

const start = async (root: string) => {
  const { call } = await serve(root);
  const get = async (path: string) => (await call('GET', path)).body;
  return {
    call,
    counts: async () => (await get('/api/links')).agents,
    usage: async (kind: string) => (await get(`/api/catalog/${kind}/usage`)).usage,
  };
};

const TO_SKILL = { link: '../../../shared/skills/git-summary' };

test('counts the links and the broken links of every agent, and reports which agents use what', async () => {
  const root = await makeRoot({
    'agents/scout/skills/git-summary': TO_SKILL,
    'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
    'agents/scout/skills/own/SKILL.md': 'local',
    'agents/scout/skills/.hidden': { link: 'nowhere' },
    'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
    'agents/scout/extensions/circle': { link: 'circle' },
    'agents/writer/skills/git-summary': { link: '../../../agents/../shared/skills/git-summary' },
    'agents/writer/skills/other': TO_SKILL,
    'agents/plain/SYSTEM.md': '',
    'agents/linked': { link: 'scout' },
    'shared/skills/dangling': { link: 'nowhere' },
    'agents/zed/skills/dangling': { link: '../../../shared/skills/dangling' },
  });
  const { counts, usage } = await start(root);
  expect(await counts()).toEqual([
    {
      id: 'scout',
      links: 4,
      brokenLinks: 2,
      broken: [
        { kind: 'extensions', name: 'circle', repairable: false },
        { kind: 'skills', name: 'gone', repairable: false },
      ],
    },
    { id: 'writer', links: 2, brokenLinks: 0 },
    {
      id: 'zed',
      links: 1,
      brokenLinks: 1,
      broken: [{ kind: 'skills', name: 'dangling', repairable: false }],
    },
  ]);
  expect(await usage('skills')).toEqual([
    { name: 'dangling', agents: ['zed'] },
    { name: 'git-summary', agents: ['scout', 'writer'] },
  ]);
  expect(await usage('extensions')).toEqual([{ name: 'say.ts', agents: ['scout'] }]);
});

test('names the broken links, and says of each what the link routes then do', async () => {
  const elsewhere = { link: '/elsewhere/shared/skills/git-summary' };
  const root = await makeRoot({
    'agents/moved/skills/git-summary': elsewhere,
    'agents/moved/skills/gone away': { link: '../../../shared/skills/gone away' },
    'agents/moved/extensions/say.ts': { link: '/elsewhere/say.ts' },
    'agents/borrows/skills': { link: '../moved/skills' },
  });
  const { call, counts } = await start(root);
  const [borrows, moved] = await counts();
  expect([borrows.id, borrows.broken.map(({ repairable }: { repairable: boolean }) => repairable)]).toEqual([
    'borrows',
    [false, false],
  ]);
  expect(moved.broken).toEqual([
    { kind: 'extensions', name: 'say.ts', repairable: true },
    { kind: 'skills', name: 'git-summary', repairable: true },
    { kind: 'skills', name: 'gone away', repairable: false },
  ]);
  for (const { kind, name, repairable } of moved.broken) {
    const answer = await call('POST', `/api/agents/moved/links/${kind}`, { name, replaceBroken: true });
    expect([name, answer.status]).toEqual([name, repairable ? 201 : 404]);
    if (repairable) continue;
    expect(answer.body.code).toBe('shared_entry_not_found');
    const [, path = ''] = /Remove it with DELETE (\S+)\.$/.exec(answer.body.error) ?? [];
    expect((await call('DELETE', path)).status).toBe(200);
  }
  // Without a link of that name, there is nothing to remove.
  const none = await call('POST', '/api/agents/moved/links/skills', { name: 'never', replaceBroken: true });
  expect(none.body.error).toContain('GET /api/catalog/skills');
  expect((await counts()).find(({ id }: { id: string }) => id === 'moved')).toEqual({
    id: 'moved',
    links: 2,
    brokenLinks: 0,
  });
  // A shared entry that disappears makes a link broken, and not repairable.
  await rm(join(root, 'shared/extensions/say.ts'));
  await until(async () =>
    (await counts()).some(
      ({ id, brokenLinks }: { id: string; brokenLinks: number }) => id === 'moved' && brokenLinks === 1,
    ),
  );
});

test('agrees with what the links of each agent say', async () => {
  const outside = await makeTempDirectory();
  const root = await makeRoot({
    'agents/scout/skills/git-summary': { link: '/elsewhere/shared/skills/git-summary' },
    'agents/a/skills/git-summary': { link: '../../../shared/skills/hop' },
    'shared/skills/hop': { link: 'git-summary' },
    'agents/b/skills': { link: '../scout/skills' },
    'agents/c/skills': { link: outside },
    'agents/d/skills': 'a file',
    'agents/e/skills/git-summary': TO_SKILL,
    'agents/f/skills/__proto__': { link: '../../../shared/skills/__proto__' },
    'shared/skills/__proto__/SKILL.md': '---\nname: x\n---\n',
  });
  await symlink(join(root, 'shared/skills/git-summary'), join(outside, 'git-summary'));
  const { call, counts, usage } = await start(root);
  const counted = new Map((await counts()).map((agent: { id: string }) => [agent.id, agent]));
  const used = await usage('skills');
  for (const id of ['scout', 'a', 'b', 'c', 'd', 'e', 'f']) {
    const { status, body } = await call('GET', `/api/agents/${id}/links/skills`);
    const { entries = [] } = body;
    const links = entries.filter(({ kind }: { kind: string }) => kind === 'symlink');
    const brokenLinks = links.filter(({ broken }: { broken: boolean }) => broken).length;
    const count = counted.get(id) as { broken?: unknown[] } | undefined;
    expect(count?.broken?.length ?? 0).toBe(brokenLinks);
    if (status === 403) expect(count).toMatchObject({ id, links: 0, problem: { message: body.error } });
    else if (links.length > 0) expect(count).toMatchObject({ id, links: links.length, brokenLinks });
    else expect(count).toBeUndefined();
    for (const { name, linksToShared } of links) {
      const agents = used.find((entry: { name: string }) => entry.name === name)?.agents ?? [];
      expect([id, name, agents.includes(id)]).toEqual([id, name, linksToShared]);
    }
  }
});

test('the very next request counts what another program links, breaks and removes', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const { counts, usage } = await start(root);
  const link = join(root, 'agents/scout/skills/git-summary');
  const shared = join(root, 'shared/skills/git-summary');
  const look = async () => [(await counts())[0], (await usage('skills')).length];
  for (let round = 0; round < 10; round++) {
    expect(await look()).toEqual([undefined, 0]);
    await symlink(TO_SKILL.link, link);
    expect(await look()).toEqual([{ id: 'scout', links: 1, brokenLinks: 0 }, 1]);
    await rename(shared, `${shared}-away`);
    expect(await look()).toEqual([{ id: 'scout', links: 1, brokenLinks: 1, broken: [expect.anything()] }, 0]);
    await rename(`${shared}-away`, shared);
    expect(await look()).toEqual([{ id: 'scout', links: 1, brokenLinks: 0 }, 1]);
    await rm(link);
  }
});

test('links that are long settled still break with the entry they point to', { tags: 'slow' }, async () => {
  const root = await makeRoot({ 'agents/scout/skills/git-summary': TO_SKILL });
  const { counts } = await start(root);
  await untilSettled(join(root, 'agents/scout/skills'));
  expect(await counts()).toEqual([{ id: 'scout', links: 1, brokenLinks: 0 }]);
  expect(await counts()).toEqual([{ id: 'scout', links: 1, brokenLinks: 0 }]);
  await rm(join(root, 'shared/skills/git-summary'), { recursive: true });
  expect(await counts()).toMatchObject([{ id: 'scout', links: 1, brokenLinks: 1 }]);
});

test('a missing root is 503, and a root without agents has no counts', async () => {
  const root = await makeRoot();
  const { call, counts } = await start(root);
  await rm(join(root, 'agents'), { recursive: true });
  expect(await counts()).toEqual([]);
  await rename(root, `${root}-gone`);
  for (const path of ['/api/links', '/api/catalog/skills/usage', '/api/catalog/extensions/usage']) {
    const { status, body } = await call('GET', path);
    expect([path, status, body.code]).toEqual([path, 503, 'root_unavailable']);
  }
  await rename(`${root}-gone`, root);
});

test('repairs a broken link, and replaces nothing else', async () => {
  const root = await makeRoot({
    'agents/scout/skills/git-summary': { link: '/elsewhere/git-summary' },
    'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
    'agents/scout/extensions/say.ts': 'local',
    'agents/whole/skills/git-summary': { link: '../../scout/skills' },
  });
  await mkdir(join(root, 'agents/new'));
  await writeFile(join(root, 'agents/new/SYSTEM.md'), '');
  const { call } = await start(root);
  const repair = async (id: string, kind: string, name: string) => {
    const { status, body } = await call('POST', `/api/agents/${id}/links/${kind}`, {
      name,
      replaceBroken: true,
    });
    return [status, body.code ?? body.entry];
  };
  const entry = {
    name: 'git-summary',
    kind: 'symlink',
    linkTarget: TO_SKILL.link,
    linksToShared: true,
    sharedRelative: TO_SKILL.link,
    broken: false,
  };
  expect(await repair('scout', 'skills', 'git-summary')).toEqual([201, entry]);
  expect((await call('GET', '/api/agents/scout/links/skills')).body.entries[0]).toEqual(entry);
  expect(await repair('scout', 'skills', 'git-summary')).toEqual([409, 'link_exists']);
  expect(await repair('whole', 'skills', 'git-summary')).toEqual([409, 'link_exists']);
  expect(await repair('scout', 'extensions', 'say.ts')).toEqual([409, 'link_exists']);
  expect(await repair('new', 'skills', 'git-summary')).toEqual([201, entry]);
  // Without an entry to lead to the broken link stays as it was.
  expect(await repair('scout', 'skills', 'gone')).toEqual([404, 'shared_entry_not_found']);
  const left = (await call('GET', '/api/agents/scout/links/skills')).body.entries;
  expect(left.map(({ name }: { name: string }) => name)).toEqual(['git-summary', 'gone']);
});
