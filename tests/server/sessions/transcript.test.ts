import { appendFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SessionEntry as Entry, SessionTranscript } from '../../../src/shared/api/sessions.ts';
import pi073 from '../../fixtures/pi-sessions/0.73.1.json' with { type: 'json' };
import pi087 from '../../fixtures/pi-sessions/0.87.1.json' with { type: 'json' };
import { firstQuick } from '../../support/first-quick.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSession, type SessionEntry } from '../../support/session-file.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** What is written in a session, and what can be done with its file. */

const start = async () => {
  const root = await makeRoot({ 'agents/courier/SYSTEM.md': 'Hi' });
  const server = await serve(root);
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  const directory = join(root, 'agents/scout/sessions/--work--');
  await mkdir(directory, { recursive: true });
  const call = (method: string, path: string) => server.call(method, path, undefined, operator);
  return {
    root,
    server,
    directory,
    call,
    read: async (id: string, query = ''): Promise<SessionTranscript> => {
      const { status, body } = await call('GET', `/api/sessions/${id}${query}`);
      expect([status, body.code]).toEqual([200, undefined]);
      return body;
    },
    codeOf: async (method: string, path: string) => {
      const { status, body } = await call(method, path);
      return [status, body.code];
    },
  };
};

const costOf = (entry: Entry): number => ('usage' in entry ? (entry.usage?.usd ?? 0) : 0);

/** Every entry, page by page. */
const readAll = async (
  read: (id: string, query: string) => Promise<SessionTranscript>,
  id: string,
  limit: number,
) => {
  const entries: Entry[] = [];
  let pages = 0;
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await read(id, `?limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    entries.push(...page.entries);
    cursor = page.nextCursor;
    pages += 1;
  }
  return { entries, pages };
};

for (const [tags, rows] of firstQuick(1, [pi073, pi087]))
  test.each(rows)(
    'every line of a session of pi $version has its entry, and their costs add up to pi’s own total',
    { tags },
    async ({ moments }) => {
      const { directory, read } = await start();
      const { sessionId, fileName, text, stats } = moments['before the summary'];
      await writeFile(join(directory, fileName), text);
      const whole = await read(sessionId, '?limit=500');
      // All lines but the header.
      expect(whole.entries).toHaveLength(text.trim().split('\n').length - 1);
      expect(whole.entries.map(({ type }) => type)).not.toContain('unknown');
      const usd = whole.entries.reduce((sum: number, entry: Entry) => sum + costOf(entry), 0);
      expect(usd).toBeCloseTo(stats.cost, 12);
      expect(whole).toMatchObject({
        agent: 'scout',
        path: `agents/scout/sessions/--work--/${fileName}`,
        session: { id: sessionId, usdRecorded: stats.cost },
      });
      // In small pages it is the same, also which model a summary belongs to.
      const { entries, pages } = await readAll(read, sessionId, 3);
      expect(entries).toEqual(whole.entries);
      expect(pages).toBe(Math.ceil(whole.entries.length / 3));
    },
  );

const withMessage = (message: SessionEntry): SessionEntry => ({
  type: 'message',
  id: 'm',
  parentId: null,
  timestamp: '2026-11-23T10:00:00.000Z',
  message,
});

test('shows images, unknown types and damaged lines as such, cuts long texts, and runs nothing', {
  tags: 'slow',
}, async () => {
  const { directory, read } = await start();
  const session = makeSession();
  const hostile = '<script>alert(1)</script>\u202egnp.exe';
  const lines: SessionEntry[] = [
    withMessage({
      role: 'user',
      content: [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(400_000) }],
    }),
    withMessage({
      role: 'assistant',
      stopReason: 'error',
      errorMessage: hostile,
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: 'ls' } },
        { type: 'hologram' },
      ],
    }),
    withMessage({
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'bash',
      isError: true,
      content: 'x'.repeat(100_000),
    }),
    withMessage({ role: 'bashExecution', command: 'git status', output: 'clean', exitCode: 0 }),
    withMessage({ role: 'custom', customType: 'note', content: hostile }),
    withMessage({ role: 'oracle', content: 'Hi' }),
    { type: 'custom_message', customType: 'seen', content: 'Hi' },
    { type: 'label', label: 'Here' },
    { type: 'context_edit', targetId: 'a1', replacement: null },
    { type: 'context_edit', targetId: 'a2', replacement: { content: 'Shorter.' } },
    { type: 'context_edit', replacement: 'x' },
    { type: 'quantum_state', __proto__: { a: 1 } },
  ];
  await writeFile(
    join(directory, session.fileName),
    `${session.text(lines)}{"broken\n${'['.repeat(200_000)}\n{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","arguments":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}}\n"half`,
  );
  const { entries, endCursor } = await read(session.id);
  expect(entries).toMatchObject([
    { type: 'user', parts: [{ type: 'image', mimeType: 'image/png', bytes: 300_000 }] },
    {
      type: 'assistant',
      stopReason: 'error',
      error: hostile,
      usage: null,
      parts: [
        { type: 'thinking', text: 'Hm.' },
        { type: 'tool_call', id: 'c1', name: 'bash', text: '{"command":"ls"}' },
        { type: 'unknown', name: 'hologram' },
      ],
    },
    {
      type: 'tool_result',
      callId: 'c1',
      tool: 'bash',
      isError: true,
      parts: [{ type: 'text', cut: 34_464 }],
    },
    { type: 'command', command: 'git status', text: 'clean', exitCode: 0 },
    { type: 'extension', name: 'note', parts: [{ type: 'text', text: hostile }] },
    { type: 'unknown', name: 'message oracle' },
    { type: 'extension', name: 'seen' },
    { type: 'label', label: 'Here' },
    { type: 'context_edit', targetId: 'a1', parts: null },
    { type: 'context_edit', targetId: 'a2', parts: [{ type: 'text', text: 'Shorter.' }] },
    { type: 'context_edit', targetId: '', parts: null },
    { type: 'unknown', name: 'quantum_state' },
    { type: 'unreadable', reason: 'not_json' },
    { type: 'unreadable', reason: 'not_json' },
    { type: 'unreadable', reason: 'not_json' },
  ]);
  // The half line is not there yet.
  expect((await read(session.id, `?cursor=${endCursor}`)).entries).toEqual([]);
});

test('a page of a large file reads and returns a bounded part, and names lines that are too long', {
  tags: 'slow',
}, async () => {
  const { directory, read } = await start();
  const session = makeSession();
  for (let number = 0; number < 60; number++) session.say(`${number} ${'x'.repeat(60_000)}`);
  const text = session.text();
  await writeFile(join(directory, session.fileName), `${text}{"x":"${'y'.repeat(33 * 1024 * 1024)}"}\n`);
  const first = await read(session.id, '?limit=500');
  expect(first.entries.length).toBeLessThan(20);
  const { entries } = await readAll(read, session.id, 500);
  expect(entries).toHaveLength(61);
  expect(entries.at(-1)).toMatchObject({ type: 'unreadable', reason: 'too_long' });
});

test('a line that is nested too deep is unreadable, and brackets in a text don’t count', {
  tags: 'slow',
}, async () => {
  const { directory, read } = await start();
  const session = makeSession();
  const brackets = `${'["\\'.repeat(3_000)}`;
  session.say(brackets);
  const nested = (depth: number) =>
    `{"type":"custom","customType":"nest","data":${'['.repeat(depth)}${']'.repeat(depth)}}\n`;
  await writeFile(join(directory, session.fileName), `${session.text()}${nested(900)}${nested(5_000)}`);
  const { entries } = await read(session.id);
  expect(entries.slice(-3)).toMatchObject([
    { parts: [{ type: 'text', text: brackets }] },
    { type: 'extension', name: 'nest' },
    { type: 'unreadable', reason: 'not_json' },
  ]);
});

test('the end of a growing session continues with what was added, and a replaced file is noticed', {
  tags: 'slow',
}, async () => {
  const { directory, read, call } = await start();
  const session = makeSession();
  session.call({ input: 10, usd: 0.5 });
  const path = join(directory, session.fileName);
  await writeFile(path, session.text());
  const { endCursor, nextCursor } = await read(session.id);
  expect(nextCursor).toBeUndefined();
  expect((await read(session.id, `?cursor=${endCursor}`)).entries).toEqual([]);
  const before = session.text().length;
  session.compact({ input: 5, usd: 0.25 });
  await appendFile(path, session.text().slice(before));
  // The summary doesn't name its model.
  expect((await read(session.id, `?cursor=${endCursor}`)).entries).toMatchObject([
    { type: 'summary', kind: 'compaction', usage: { model: 'local/small', usd: 0.25, estimated: false } },
  ]);
  await writeFile(path, session.text([{ type: 'session_info', name: 'New' }, ...session.entries]));
  const { status, body } = await call('GET', `/api/sessions/${session.id}?cursor=${endCursor}`);
  expect([status, body.code]).toEqual([409, 'session_changed']);
});

test('of several copies, the one with the newest call is read, or the one of the agent that was asked for', {
  tags: 'slow',
}, async () => {
  const { root, directory, read, codeOf } = await start();
  const session = makeSession();
  session.call({ input: 10, usd: 0.5 });
  const other = join(root, 'agents/courier/sessions');
  await mkdir(other);
  await writeFile(join(other, session.fileName), session.text());
  session.call({ input: 20, usd: 0.5 });
  await writeFile(join(directory, session.fileName), session.text());
  expect(await read(session.id)).toMatchObject({ agent: 'scout', entries: [{}, {}] });
  expect(await read(session.id, '?agent=courier')).toMatchObject({ agent: 'courier', entries: [{}] });
  expect(await codeOf('GET', `/api/sessions/${session.id}?agent=nobody`)).toEqual([404, 'session_not_found']);
  await rm(join(directory, session.fileName));
  expect(await read(session.id)).toMatchObject({ agent: 'courier' });
  expect(await codeOf('GET', '/api/sessions/nothing')).toEqual([404, 'session_not_found']);
});

test('only the operator reads, resumes and deletes sessions', async () => {
  const { server } = await start();
  for (const [method, path] of [
    ['GET', '/api/sessions/x'],
    ['GET', '/api/sessions/x/resume-command'],
    ['DELETE', '/api/sessions/x'],
  ] as const)
    expect((await server.call(method, path)).status).toBe(403);
});

test('the command to resume enters the working directory, passes pi-args, and quotes both', async () => {
  const { root, server, directory, call } = await start();
  await writeFile(join(root, 'agents/scout/pi-args'), '--tools\nread\n');
  const session = makeSession({ cwd: "/work/it's $HOME" });
  session.call({ input: 10 });
  const path = join(directory, session.fileName);
  await writeFile(path, session.text());
  const { body } = await call('GET', `/api/sessions/${session.id}/resume-command`);
  expect(body).toMatchObject({ argv: ['pi', '--tools', 'read', '--session', path], cwd: "/work/it's $HOME" });
  expect(body.posix).toBe(
    `(cd -- '/work/it'\\''s $HOME' && PI_CODING_AGENT_DIR=${join(root, 'agents/scout')} DOT_MI_URL=${server.url} pi --tools read --session ${path})`,
  );
  expect(body.powershell).toContain("Resolve-Path -LiteralPath '/work/it''s $HOME'");
});

describe('a deleted session', () => {
  test('is in the trash with its agent, still counts, and can be restored', async () => {
    const { root, server, directory, read, call, codeOf } = await start();
    const session = makeSession();
    session.rename('Parcels');
    session.call({ input: 10, usd: 0.5 });
    const path = join(directory, session.fileName);
    await writeFile(path, session.text());
    await read(session.id);
    const { entry } = (await call('DELETE', `/api/sessions/${session.id}`)).body;
    await expect(readFile(path)).rejects.toThrow('ENOENT');
    expect(await codeOf('GET', `/api/sessions/${session.id}`)).toEqual([404, 'session_not_found']);
    expect(await codeOf('DELETE', `/api/sessions/${session.id}`)).toEqual([404, 'session_not_found']);
    expect((await server.call('GET', '/api/usage')).body.total).toMatchObject({ calls: 1, usdRecorded: 0.5 });
    const place = `agents/scout/sessions/--work--/${session.fileName}`;
    expect((await call('GET', '/api/trash')).body.entries).toMatchObject([
      { entry, id: 'scout', session: { id: session.id, name: 'Parcels', path: place } },
    ]);

    // Something else is in its place.
    await writeFile(path, 'x');
    expect(await codeOf('POST', `/api/trash/${entry}/restore`)).toEqual([409, 'session_exists']);
    await rm(directory, { recursive: true });
    expect(await codeOf('POST', `/api/trash/${entry}/restore`)).toEqual([200, undefined]);
    expect(await readFile(path, 'utf8')).toBe(session.text());
    expect((await call('GET', '/api/trash')).body.entries).toEqual([]);
    expect((await server.call('GET', '/api/usage')).body.total.calls).toBe(1);
    expect(await readdir(join(root, '.trash'))).toEqual(['.gitignore']);
  });

  test('never creates an agent, leaves the root, or follows a link on its way back', async () => {
    const { root, directory, call, codeOf } = await start();
    const removed: string[] = [];
    for (const _ of [1, 2, 3]) {
      const session = makeSession();
      session.call({ input: 10 });
      await writeFile(join(directory, session.fileName), session.text());
      removed.push((await call('DELETE', `/api/sessions/${session.id}`)).body.entry);
    }
    const [first = '', second = ''] = removed;
    await rename(join(root, 'agents/scout'), join(root, 'agents/.scout'));
    expect(await codeOf('POST', `/api/trash/${first}/restore`)).toEqual([404, 'agent_not_found']);
    await rename(join(root, 'agents/.scout'), join(root, 'agents/scout'));
    await rm(directory, { recursive: true });
    await writeFile(directory, 'a file');
    expect(await codeOf('POST', `/api/trash/${first}/restore`)).toEqual([409, 'not_a_directory']);
    // Each directory on the way can be a link to somewhere else.
    const elsewhere = await makeTempDirectory();
    await mkdir(join(elsewhere, '--work--'));
    await rm(directory);
    await symlink(join(elsewhere, '--work--'), directory, 'junction');
    expect(await codeOf('POST', `/api/trash/${first}/restore`)).toEqual([409, 'not_a_directory']);
    const sessions = join(root, 'agents/scout/sessions');
    await rm(sessions, { recursive: true });
    await symlink(elsewhere, sessions, 'junction');
    expect(await codeOf('POST', `/api/trash/${first}/restore`)).toEqual([409, 'not_a_directory']);
    expect(await readdir(elsewhere, { recursive: true })).toEqual(['--work--']);
    const record = join(root, '.trash', second, 'entry.json');
    const known = JSON.parse(await readFile(record, 'utf8'));
    for (const path of ['../out.jsonl', '/out.jsonl', 'agents/scout/SYSTEM.md', '.trash/x.jsonl']) {
      await writeFile(record, JSON.stringify({ ...known, session: { ...known.session, path } }));
      expect(await codeOf('POST', `/api/trash/${second}/restore`), path).toEqual([
        409,
        'trash_entry_unreadable',
      ]);
    }
  });
});
