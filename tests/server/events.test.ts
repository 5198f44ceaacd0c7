import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { appendFile, mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { EVERYTHING_CHANGED, eventsOf, STREAM_BEGINS } from '../../src/server/events/changes.ts';
import { createEventsService } from '../../src/server/events/events.service.ts';
import type { ServerEvent } from '../../src/shared/api/events.ts';
import { followEvents } from '../support/follow.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { trustRoot } from '../support/trust.ts';

/** Reads the event stream until the test ends. */
const follow = async (url: string) => {
  const stream = await followEvents(url);
  const { events } = stream;
  const isTold = (expected: ServerEvent) =>
    events.some((event) => JSON.stringify(event) === JSON.stringify(expected));
  return {
    ...stream,
    /** Waits for an event, exactly as given, and forgets all that came. */
    told: async (expected: ServerEvent) => {
      await until(() => isTold(expected)).catch(() => expect(events).toContainEqual(expected));
      events.length = 0;
    },
    /**
     * Changes something again and again until exactly that is reported. After many changes the last of them may still
     * be on the way, and are reported together with the first of these.
     */
    toldOnceCalm: async (change: () => Promise<void>, expected: ServerEvent) => {
      await until(async () => {
        await change();
        return isTold(expected);
      }).catch(() => expect(events).toContainEqual(expected));
      events.length = 0;
    },
    /** Waits for an event that names an agent or says "any", and forgets all that came. */
    toldOf: async (name: 'agents' | 'links', id: string) => {
      const concerns = (event: ServerEvent) =>
        event.name === name &&
        'ids' in event.data &&
        (event.data.ids === null || event.data.ids.includes(id));
      await until(() => events.some(concerns)).catch(() => expect(events).toContainEqual({ name, data: id }));
      events.length = 0;
    },
  };
};

/** Follows a root from where its watches stand: the first events, and those once it is watched, have come. */
const followRoot = async (root: string, environment: Record<string, string> = {}) => {
  const server = await serve(root, { environment });
  const follower = await follow(server.url);
  await until(() => follower.events.length >= 1 + EVERYTHING_CHANGED.length);
  expect(follower.events[0]).toEqual(STREAM_BEGINS);
  follower.events.length = 0;
  return { ...server, ...follower };
};

const fileEvent = (...files: ('SYSTEM.md' | 'pi-args' | 'AGENT.md' | 'workspace.conf')[]): ServerEvent => ({
  name: 'agents',
  data: { ids: ['scout'], files },
});
const linksEvent: ServerEvent = { name: 'links', data: { ids: ['scout'] } };
const anyLinks: ServerEvent = { name: 'links', data: { ids: null } };
const anyAgents: ServerEvent = { name: 'agents', data: { ids: null, files: null } };
const catalogEvent = (...kinds: ('extensions' | 'skills')[]): ServerEvent => ({
  name: 'catalog',
  data: { kinds },
});

describe('changed paths are reported as', () => {
  test.each<[string, string[], ServerEvent[]]>([
    ['an edited file', ['agents/scout/SYSTEM.md'], [fileEvent('SYSTEM.md')]],
    [
      'one event for several files',
      ['agents/scout/SYSTEM.md', 'agents/scout/pi-args'],
      [fileEvent('SYSTEM.md', 'pi-args')],
    ],
    [
      'an agent that came or went, with its links',
      ['agents/scout'],
      [{ name: 'agents', data: { ids: ['scout'], files: null } }, linksEvent],
    ],
    [
      'any file, when an agent came and a file of another changed',
      ['agents/scout', 'agents/other/SYSTEM.md'],
      [{ name: 'agents', data: { ids: ['scout', 'other'], files: null } }, linksEvent],
    ],
    [
      'the entries of an agent, for any other file in its directory',
      ['agents/scout/settings.json', 'agents/scout/SYSTEM.md', 'agents/scout/sessions/x.jsonl'],
      [
        fileEvent('SYSTEM.md'),
        { name: 'entries', data: { ids: ['scout'] } },
        { name: 'sessions', data: { ids: ['scout'] } },
      ],
    ],
    ['links', ['agents/scout/skills', 'agents/scout/extensions/say.ts'], [linksEvent]],
    ['a catalog and any links', ['shared/skills/x/SKILL.md'], [anyLinks, catalogEvent('skills')]],
    [
      'a catalog, when what is deep below an entry changed',
      ['shared/extensions/x/src/a/index.ts'],
      [anyLinks, catalogEvent('extensions')],
    ],
    [
      'any links, when links of one agent and a catalog changed',
      ['agents/scout/skills/x', 'shared/extensions/x', 'shared/skills'],
      [anyLinks, catalogEvent('extensions', 'skills')],
    ],
    [
      'the sessions of agents, wherever they are kept',
      [
        'agents/scout/sessions/--work--/a.jsonl',
        'agents/scout/sessions/--work--/b.jsonl',
        'workspaces/courier/2026-11-23/sessions/a.jsonl',
        'workspaces/courier/2026-11-23/notes/a.jsonl',
        'workspaces/-x/2026-11-23/sessions/a.jsonl',
      ],
      [{ name: 'sessions', data: { ids: ['scout', 'courier'] } }],
    ],
    [
      'the links of no agent, when those of a team changed',
      ['teams/research/skills/x', 'teams/research/notes.md'],
      [{ name: 'links', data: { ids: [] } }],
    ],
    ['anything', [''], [...EVERYTHING_CHANGED]],
    ['anything, for the agents folder', ['agents/scout/SYSTEM.md', 'agents'], [...EVERYTHING_CHANGED]],
    [
      'the presets, for a preset but not for what is written next to it',
      ['shared/presets/web.json', 'shared/presets/.web.json.1-0.tmp'],
      [{ name: 'presets', data: {} }],
    ],
    ['anything, for the shared folder', ['shared'], [...EVERYTHING_CHANGED]],
    [
      'nothing, when no route shows them',
      [
        'setup.sh',
        '.trash/x',
        '.git/agents',
        'agents/.x',
        'agents/a..b/SYSTEM.md',
        'agents/scout/.SYSTEM.md.1-a.tmp',
        'agents/scout/bin/x',
        'shared/other',
        'shared/presets/.web.json.1-0.tmp',
        'shared/notes/x',
        'teams/research/agents/x',
      ],
      [],
    ],
    ['nothing', [], []],
  ])('%s', (_name, paths, events) => {
    expect(eventsOf(paths)).toEqual(events);
  });
});

test('the root is watched while a stream is open and a little longer, so that a reload reuses the watch', () => {
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
  });
  let watches = 0;
  let started = 0;
  const service = createEventsService(() => {
    watches++;
    started++;
    return () => {
      watches--;
    };
  });
  const [first, second] = [service.subscribe(() => undefined), service.subscribe(() => undefined)];
  first();
  vi.advanceTimersByTime(60_000);
  expect(watches).toBe(1);
  second();
  vi.advanceTimersByTime(1000);
  const reloaded = service.subscribe(() => undefined);
  vi.advanceTimersByTime(60_000);
  expect([watches, started]).toEqual([1, 1]);
  reloaded();
  vi.advanceTimersByTime(60_000);
  expect(watches).toBe(0);
  service.subscribe(() => undefined);
  expect([watches, started]).toEqual([1, 2]);
});

test('every stream begins with events that say anything may have changed', async () => {
  const { url, response } = await followRoot(await makeRoot());
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  // The watches stand already, so nothing else would tell the second what it missed.
  const second = await follow(url);
  await until(() => second.events.length >= 1);
  expect(second.events).toEqual([STREAM_BEGINS]);
});

test('reports when a file of an agent is created, edited or deleted', async () => {
  const root = await makeRoot();
  const { told } = await followRoot(root);
  const path = join(root, 'agents/scout/AGENT.md');
  await writeFile(path, 'a');
  await told(fileEvent('AGENT.md'));
  await appendFile(path, 'b');
  await told(fileEvent('AGENT.md'));
  await unlink(path);
  await told(fileEvent('AGENT.md'));
  await writeFile(join(root, 'agents/scout/workspace.conf'), '');
  await told(fileEvent('workspace.conf'));
});

test('reports every time an editor saves by renaming', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  const { told } = await followRoot(root);
  const path = join(root, 'agents/scout/SYSTEM.md');
  for (let round = 0; round < 5; round++) {
    // As vim: the old file is moved to a backup, a new one is written, the backup goes.
    await rename(path, `${path}~`);
    await writeFile(path, `${round}`);
    await unlink(`${path}~`);
    await told(fileEvent('SYSTEM.md'));
    // As most others: a new file takes the place.
    await writeFile(`${path}.tmp`, `${round}`);
    await rename(`${path}.tmp`, path);
    await told(fileEvent('SYSTEM.md'));
  }
});

test('reports changes made through the API too', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  const server = await followRoot(root);
  const { call, asOperator, told, toldOf } = server;
  await trustRoot(server);
  await call('PUT', '/api/agents/scout/file', { path: 'SYSTEM.md', content: 'new' });
  await told(fileEvent('SYSTEM.md'));
  await call('POST', '/api/agents/scout/links/skills', { name: 'git-summary' });
  await told(linksEvent);
  await call('DELETE', '/api/agents/scout/links/skills/git-summary');
  await told(linksEvent);
  await call('POST', '/api/agents', { name: 'second' });
  await toldOf('agents', 'second');
  const { body } = await call('DELETE', '/api/agents/second', { confirm: 'second' });
  await toldOf('agents', 'second');
  await asOperator('POST', `/api/trash/${body.entry}/restore`);
  await toldOf('agents', 'second');
  await call('PUT', '/api/agents/second/file', { path: 'SYSTEM.md', content: 'again' });
  await toldOf('agents', 'second');
});

test('reports when links are created, removed or replaced, also in a folder that appears later', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const { told } = await followRoot(root);
  const skills = join(root, 'agents/scout/skills');
  await symlink('../../../shared/skills/git-summary', join(skills, 'git-summary'));
  await told(linksEvent);
  await symlink('elsewhere', join(skills, '.new'));
  await rename(join(skills, '.new'), join(skills, 'git-summary'));
  await told(linksEvent);
  await rm(skills, { recursive: true });
  await told(linksEvent);
  await mkdir(skills);
  await told(linksEvent);
  await symlink('nowhere', join(skills, 'dangling'));
  await told(linksEvent);
});

test('reports when presets, shared skills and extensions appear, change or disappear', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const { told } = await followRoot(root);
  await mkdir(join(root, 'shared/presets'));
  await told({ name: 'presets', data: {} });
  await writeFile(join(root, 'shared/presets/web.json'), '{}');
  await told({ name: 'presets', data: {} });
  await rm(join(root, 'shared/presets/web.json'));
  await told({ name: 'presets', data: {} });
  await writeFile(join(root, 'shared/skills/git-summary/SKILL.md'), 'new');
  await told(catalogEvent('skills'));
  await writeFile(join(root, 'shared/extensions/new.ts'), '');
  await told(catalogEvent('extensions'));
  await mkdir(join(root, 'shared/skills/new'));
  await told(anyLinks);
  await writeFile(join(root, 'shared/skills/new/SKILL.md'), 'a');
  await told(catalogEvent('skills'));
  await appendFile(join(root, 'shared/skills/new/SKILL.md'), 'b');
  await told(catalogEvent('skills'));
  await rename(join(root, 'shared/skills/new'), join(root, 'shared/skills/newer'));
  await told(catalogEvent('skills'));
  await appendFile(join(root, 'shared/skills/newer/SKILL.md'), 'c');
  await told(catalogEvent('skills'));
  await rm(join(root, 'shared/skills/newer'), { recursive: true });
  await told(catalogEvent('skills'));
});

test('reports when an entry below an extension is edited, also in a folder that appears later', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot({
    'shared/extensions/deep/package.json': '{"pi":{"extensions":["./src/index.ts"]}}',
    'shared/extensions/deep/src/index.ts': '// The first.\nexport default () => {};\n',
    'shared/extensions/deep/node_modules/pkg/index.js': '',
  });
  const { call, events, told } = await followRoot(root);
  const extension = join(root, 'shared/extensions/deep');
  await writeFile(join(extension, 'node_modules/pkg/index.js'), 'a');
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'a');
  await until(() => events.length > 0);
  expect(events).toEqual([fileEvent('SYSTEM.md')]);
  await told(fileEvent('SYSTEM.md'));

  const described = async () => (await call('GET', '/api/catalog/extensions')).body;
  expect(JSON.stringify(await described())).toContain('The first.');
  await writeFile(join(extension, 'src/index.ts'), '// The second.\nexport default () => {};\n');
  await told(catalogEvent('extensions'));
  expect(JSON.stringify(await described())).toContain('The second.');

  await mkdir(join(extension, 'src/a/b'), { recursive: true });
  await told(catalogEvent('extensions'));
  await writeFile(join(extension, 'src/a/b/late.ts'), 'a');
  await told(catalogEvent('extensions'));
  await rm(join(extension, 'src'), { recursive: true });
  await told(catalogEvent('extensions'));
  await mkdir(join(extension, 'src'));
  await told(catalogEvent('extensions'));
  await writeFile(join(extension, 'src/index.ts'), 'a');
  await told(catalogEvent('extensions'));
});

test('reports when a skill that is linked from elsewhere changes there, also after its link points elsewhere', {
  tags: 'slow',
}, async () => {
  const outside = await makeTempDirectory();
  for (const name of ['one', 'two']) await mkdir(join(outside, name));
  const root = await makeRoot({ 'shared/skills/far': { link: join(outside, 'one') } });
  const { told } = await followRoot(root);
  await writeFile(join(outside, 'one/SKILL.md'), 'a');
  await told(catalogEvent('skills'));
  await symlink(join(outside, 'two'), join(root, 'shared/skills/.far'));
  await rename(join(root, 'shared/skills/.far'), join(root, 'shared/skills/far'));
  await told(catalogEvent('skills'));
  await writeFile(join(outside, 'two/SKILL.md'), 'a');
  await told(catalogEvent('skills'));
});

test('follows a new agent from its first file on', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  const { told, toldOf } = await followRoot(root);
  const agent = join(root, 'agents/second');
  await mkdir(agent);
  await toldOf('agents', 'second');
  await writeFile(join(agent, 'SYSTEM.md'), 'a');
  await told({ name: 'agents', data: { ids: ['second'], files: ['SYSTEM.md'] } });
  await appendFile(join(agent, 'SYSTEM.md'), 'b');
  await told({ name: 'agents', data: { ids: ['second'], files: ['SYSTEM.md'] } });
  await mkdir(join(agent, 'skills'));
  await toldOf('links', 'second');
  await symlink('nowhere', join(agent, 'skills/x'));
  await told({ name: 'links', data: { ids: ['second'] } });

  await rename(agent, join(root, 'agents/third'));
  await toldOf('agents', 'third');
  await writeFile(join(root, 'agents/third/SYSTEM.md'), 'c');
  await told({ name: 'agents', data: { ids: ['third'], files: ['SYSTEM.md'] } });
  await rm(join(root, 'agents/third/skills/x'));
  await told({ name: 'links', data: { ids: ['third'] } });
});

test('keeps following an agent that is repeatedly removed and created again at once', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const { told, toldOf, toldOnceCalm } = await followRoot(root);
  const agent = join(root, 'agents/scout');
  for (let round = 0; round < 8; round++) {
    // Within one turn: no other watcher sees the place empty, and the file system likes to give the inode again.
    rmSync(agent, { recursive: true });
    mkdirSync(join(agent, 'skills'), { recursive: true });
    writeFileSync(join(agent, 'SYSTEM.md'), '');
    await toldOf('agents', 'scout');
    await toldOnceCalm(() => appendFile(join(agent, 'SYSTEM.md'), 'x'), fileEvent('SYSTEM.md'));
    await symlink('nowhere', join(agent, 'skills/x'));
    await told(linksEvent);
  }
});

test('reports nothing about files that no route shows', async () => {
  const outside = await makeTempDirectory();
  await mkdir(join(outside, 'skills'));
  const root = await makeRoot({ 'agents/linked': { link: outside }, 'agents/scout/bin/x': '' });
  const { events, told } = await followRoot(root);
  await writeFile(join(outside, 'SYSTEM.md'), 'a');
  await writeFile(join(outside, 'skills/x'), 'a');
  for (const path of [
    'notes.md',
    'agents/.hidden',
    'agents/a..b',
    'agents/scout/bin/x',
    'agents/scout/.SYSTEM.md.1-a.tmp',
  ]) {
    await writeFile(join(root, path), 'a');
  }
  await mkdir(join(root, '.trash'));
  await mkdir(join(root, 'shared/notes'));
  await unlink(join(root, 'agents/scout/.SYSTEM.md.1-a.tmp'));
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'a');
  await until(() => events.length > 0);
  expect(events).toEqual([fileEvent('SYSTEM.md')]);
  await told(fileEvent('SYSTEM.md'));
});

test('reports that anything may have changed when the root disappears, returns or is replaced', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const other = await makeRoot();
  const { told, toldOf } = await followRoot(root);
  await rename(root, `${root}-gone`);
  await told(anyAgents);
  await rename(`${root}-gone`, root);
  await told(anyAgents);
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'a');
  await toldOf('agents', 'scout');

  await rename(root, `${root}-gone`);
  // Looked for between the two the root is gone, so the new one may be found a little later.
  await rename(other, root);
  await told(anyAgents);
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'b');
  await toldOf('agents', 'scout');
});

test('follows folders that appear later, and that return', { tags: 'slow' }, async () => {
  const root = await makeRoot();
  for (const name of ['agents', 'shared']) await rename(join(root, name), join(root, `${name}-kept`));
  const { told } = await followRoot(root);
  for (let round = 0; round < 2; round++) {
    for (const name of ['agents', 'shared']) {
      await rename(join(root, `${name}-kept`), join(root, name));
      await told(anyAgents);
    }
    await writeFile(join(root, 'agents/scout/SYSTEM.md'), `${round}`);
    await told(fileEvent('SYSTEM.md'));
    await writeFile(join(root, 'shared/skills/git-summary/SKILL.md'), `${round}`);
    await told(catalogEvent('skills'));
    for (const name of ['agents', 'shared']) {
      await rename(join(root, name), join(root, `${name}-kept`));
      await told(anyAgents);
    }
  }
});

test('reports all of thousands of changes, in few and small events, and keeps following', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const { events, told, toldOnceCalm } = await followRoot(root);
  const ids = Array.from({ length: 2000 }, (_, i) => `a${i}`);
  for (const id of ids) mkdirSync(join(root, 'agents', id));
  const isTold = (name: 'agents' | 'links', id: string) =>
    events.some(
      (event) =>
        event.name === name &&
        'ids' in event.data &&
        (event.data.ids === null || event.data.ids.includes(id)),
    );
  await until(() => ids.every((id) => isTold('agents', id) && isTold('links', id)));
  expect(events.length).toBeLessThan(200);
  for (const event of events) {
    if ('ids' in event.data) expect(event.data.ids?.length ?? 0).toBeLessThanOrEqual(500);
  }

  await toldOnceCalm(() => writeFile(join(root, 'agents/a1999/SYSTEM.md'), 'x'), {
    name: 'agents',
    data: { ids: ['a1999'], files: ['SYSTEM.md'] },
  });
  await mkdir(join(root, 'agents/a0/skills'));
  await told({ name: 'links', data: { ids: ['a0'] } });
});

test('reports that anything may have changed when too many changes happen at once to list them', {
  tags: 'slow',
}, async () => {
  const names = Array.from({ length: 2000 }, (_, i) => `agents/scout/extensions/x${i}`);
  const root = await makeRoot(Object.fromEntries(names.map((name) => [name, ''])));
  const { toldOnceCalm } = await followRoot(root);
  await toldOnceCalm(async () => {
    // Nothing is quicker to change than a time: all within one moment of gathering.
    for (const name of names) utimesSync(join(root, name), 1e9, 1e9);
  }, anyAgents);
});

test('reports to every stream, and continues when one closes or all reconnect', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const first = await followRoot(root);
  const second = await follow(first.url);
  await until(() => second.events.length === 1);
  const edit = (text: string) => writeFile(join(root, 'agents/scout/SYSTEM.md'), text);
  await edit('a');
  await first.told(fileEvent('SYSTEM.md'));
  await second.told(fileEvent('SYSTEM.md'));
  first.leave();
  expect(await first.ended).toBe('cut off');
  await edit('b');
  await second.told(fileEvent('SYSTEM.md'));
  second.leave();
  await second.ended;
  const third = await follow(first.url);
  await third.told(STREAM_BEGINS);
  await edit('c');
  await third.told(fileEvent('SYSTEM.md'));
});

test('a place that cannot be watched does not stop the watch of all others', { tags: 'slow' }, async () => {
  const root = await makeRoot({
    'agents/closed/skills': null,
    'shared/skills/no-path': { link: 'x'.repeat(300) },
    'shared/skills/round': { link: 'round' },
    'shared/skills/behind': { link: '../../agents/closed/skills' },
  });
  execFileSync('chmod', ['-R', 'a+rwX', join(root, '..')]);
  execFileSync('chmod', ['000', join(root, 'agents/closed')]);
  if (process.getuid?.() === 0) {
    // Root looks everywhere, so go on as nobody; the thread has loaded its code before.
    const warm = await followRoot(await makeRoot());
    warm.leave();
  }
  const { told } = await followRoot(root);
  if (process.getuid?.() === 0) {
    process.seteuid?.(65534);
    onTestFinished(() => process.seteuid?.(0));
  }
  await symlink('y'.repeat(300), join(root, 'shared/skills/another'));
  await told(catalogEvent('skills'));
  await mkdir(join(root, 'agents/second'), { mode: 0 });
  await told({ name: 'agents', data: { ids: ['second'], files: null } });
  await writeFile(join(root, 'agents/scout/SYSTEM.md'), 'a');
  await told(fileEvent('SYSTEM.md'));
});

test('reports sessions in the directories that the operator named, also in ones that appear later', {
  tags: 'slow',
}, async () => {
  const [outside, parent] = [await makeTempDirectory(), await makeTempDirectory()];
  await mkdir(join(outside, '--work--'));
  const later = join(parent, 'later');
  const { told } = await followRoot(await makeRoot(), {
    SESSION_DIRECTORIES: `scout=${outside},courier=${later}`,
  });
  const sessionsOf = (id: string): ServerEvent => ({ name: 'sessions', data: { ids: [id] } });
  await writeFile(join(outside, '--work--', 'a.jsonl'), '');
  await told(sessionsOf('scout'));
  await appendFile(join(outside, '--work--', 'a.jsonl'), '\n');
  await told(sessionsOf('scout'));
  await mkdir(join(later, '--work--'), { recursive: true });
  await told(sessionsOf('courier'));
  await writeFile(join(later, '--work--', 'b.jsonl'), '');
  await told(sessionsOf('courier'));
});

test('reports sessions in the directory that an agent’s settings name, also once they name another', {
  tags: 'slow',
}, async () => {
  const outside = await makeTempDirectory();
  const settings = (sessionDir: string) => JSON.stringify({ sessionDir });
  const root = await makeRoot({
    'agents/scout/settings.json': settings('../../logs/scout'),
    'agents/courier/sessions/a.jsonl': '',
    'logs/scout/--work--/a.jsonl': '',
    'logs/link': { link: outside },
  });
  const { told } = await followRoot(root);
  const sessionsOf = (id: string): ServerEvent => ({ name: 'sessions', data: { ids: [id] } });
  /** The first event may say that the directory is watched now. */
  const expectLive = async (path: string) => {
    for (let time = 0; time < 2; time++) {
      await appendFile(path, '\n');
      await told(sessionsOf('scout'));
    }
  };
  await expectLive(join(root, 'logs/scout/--work--/a.jsonl'));
  await mkdir(join(root, 'logs/scout/--new--'));
  await expectLive(join(root, 'logs/scout/--new--/a.jsonl'));

  // It is created later.
  await writeFile(join(root, 'agents/scout/settings.json'), settings('../../elsewhere'));
  await told(sessionsOf('scout'));
  await mkdir(join(root, 'elsewhere'));
  await told(sessionsOf('scout'));
  await expectLive(join(root, 'elsewhere/a.jsonl'));

  // Never outside the root. What scout wrote would be reported together with the other.
  await writeFile(join(root, 'agents/scout/settings.json'), settings('../../logs/link'));
  await told(sessionsOf('scout'));
  await writeFile(join(outside, 'a.jsonl'), '');
  await appendFile(join(root, 'agents/courier/sessions/a.jsonl'), '\n');
  await told(sessionsOf('courier'));
});

test('reports sessions in linked directories and files, also once a link leads elsewhere', {
  tags: 'slow',
}, async () => {
  const outside = await makeTempDirectory();
  const root = await makeRoot({
    'kept/scout/--work--/a.jsonl': '',
    'kept/work/a.jsonl': '',
    'kept/file/a.jsonl': '',
    'kept/later/a.jsonl': '',
    'agents/scout/sessions': { link: '../../kept/scout' },
    'agents/courier/sessions/--work--': { link: '../../../kept/work' },
    'agents/writer/sessions/a.jsonl': { link: '../../../kept/file/a.jsonl' },
    'agents/other/sessions/a.jsonl': '',
    'agents/out/sessions': { link: outside },
  });
  const { events } = await followRoot(root);
  const idsOf = (event: ServerEvent): readonly string[] =>
    (event.name === 'sessions' && event.data.ids) || [];
  const isReported = (id: string) => events.some((event) => idsOf(event).includes(id));
  const expectLive = async (id: string, path: string) => {
    // The first event may say that the directory is watched now.
    for (let time = 0; time < 2; time++) {
      events.length = 0;
      await appendFile(join(root, path), '\n');
      await until(() => isReported(id));
    }
  };
  await until(() => ['scout', 'courier', 'writer'].every(isReported));
  await expectLive('scout', 'kept/scout/--work--/a.jsonl');
  await expectLive('courier', 'kept/work/a.jsonl');
  await expectLive('writer', 'kept/file/a.jsonl');

  await symlink('../../../kept/later', join(root, 'agents/courier/sessions/--later--'));
  await until(() => isReported('courier'));
  await expectLive('courier', 'kept/later/a.jsonl');

  await writeFile(join(outside, 'a.jsonl'), '');
  await expectLive('other', 'agents/other/sessions/a.jsonl');
  expect(isReported('out')).toBe(false);
});

test('the stream ends when the server closes, and doesn’t delay that', async () => {
  const server = await serve(await makeRoot());
  const followers = await Promise.all([follow(server.url), follow(server.url)]);
  await server.close();
  expect(await Promise.all(followers.map(({ ended }) => ended))).toEqual(['ended', 'ended']);
});
