import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import pi073 from '../../fixtures/pi-sessions/0.73.1.json' with { type: 'json' };
import pi087 from '../../fixtures/pi-sessions/0.87.1.json' with { type: 'json' };
import { firstQuick } from '../../support/first-quick.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve, type TestServer } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';

/** The sessions of an agent, from files that real versions of pi wrote (scripts/capture-sessions.ts) and from made-up ones. */

const start = async () => {
  const root = await makeRoot();
  const server = await serve(root);
  const directory = join(root, 'agents/scout/sessions/--work--');
  await mkdir(directory, { recursive: true });
  return { server, root, directory };
};

const list = async (server: TestServer, query = '') => {
  const { status, body } = await server.call('GET', `/api/agents/scout/sessions${query}`, undefined, {
    Authorization: `Bearer ${server.operatorToken}`,
  });
  expect([status, body.reading]).toEqual([200, false]);
  return body;
};

for (const [tags, rows] of firstQuick(1, [pi073, pi087]))
  describe.each(rows)('of pi $version', { tags }, ({ version, moments }) => {
    /** pi 0.73.1 forgets what it summarized. */
    const comparable = Object.entries(moments).filter(
      ([moment]) => version !== '0.73.1' || !['after the summary', 'fork'].includes(moment),
    );

    test.each(comparable)(
      '%s: tokens and cost are the same as in pi’s own statistics, to the last digit',
      async (_moment, { sessionId, fileName, text, stats }) => {
        const { server, directory } = await start();
        await writeFile(join(directory, fileName), text);
        const { sessions } = await list(server);
        expect(sessions).toMatchObject([
          { id: sessionId, models: ['capture/model'], tokens: stats.tokens.total, usdRecorded: stats.cost },
        ]);
        const { total } = (await server.call('GET', '/api/usage')).body;
        const { input, output, cacheRead, cacheWrite } = stats.tokens;
        expect(total).toMatchObject({ input, output, cacheRead, cacheWrite });
        expect(total.usdRecorded).toBeCloseTo(stats.cost, 12);
      },
    );

    test('a fork names its parent, and both together count each call once', async () => {
      const { server, directory } = await start();
      const { 'after the summary': parent, fork } = moments;
      for (const { fileName, text } of [parent, fork]) await writeFile(join(directory, fileName), text);
      const { sessions } = await list(server);
      expect(sessions).toMatchObject([
        { id: fork.sessionId, forkOf: parent.sessionId, errors: 1 },
        { id: parent.sessionId, name: 'Captured', errors: 1 },
      ]);
      // The fork repeats all calls but the last one, and adds its own.
      const { total } = (await server.call('GET', '/api/usage')).body;
      expect(total.calls).toBe(sessions[1].calls + 1);
      expect(total.errors).toBe(1);
    });
  });

test('sessions are listed newest first, page by page, without those that were deleted', async () => {
  const { server, directory } = await start();
  const now = Date.now();
  const ids: string[] = [];
  for (const at of [1, 2, 3, 4, 5]) {
    // Two of them ended at the same time.
    const session = makeSession({ startedAtMs: now - Math.min(at, 4) * 60_000, cwd: `/work/${at}` });
    session.rename(`Number ${at}`);
    session.call({ input: 1_000_000 });
    await writeFile(join(directory, session.fileName), session.text());
    ids.push(session.id);
    if (at === 2) await list(server).then(() => rm(join(directory, session.fileName)));
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(server, `?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    seen.push(...page.sessions.map(({ id }: { id: string }) => id));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(seen.slice(0, 2)).toEqual([ids[0], ids[2]]);
  expect([...seen].sort()).toEqual(ids.filter((id) => id !== ids[1]).sort());
  for (const [q, found] of [
    ['NUMBER /work/1', [ids[0]]],
    ['/work/3 small', [ids[2]]],
    ['number absent', []],
  ] as const) {
    const { sessions: some } = await list(server, `?q=${encodeURIComponent(q)}`);
    expect(some.map(({ id }: { id: string }) => id)).toEqual(found);
  }
  const { sessions } = await list(server);
  // The bundled prices don't know the model.
  expect(sessions[0]).toMatchObject({
    name: 'Number 1',
    cwd: '/work/1',
    calls: 1,
    usdRecorded: 0,
    usdEstimated: null,
    unpricedTokens: 1_000_000,
    sats: null,
  });
});

test('the last run of each agent is that of any of its sessions, also of one that was deleted', async () => {
  const { server, root, directory } = await start();
  const lastRuns = async () => (await server.call('GET', '/api/usage/last-runs')).body;
  expect(await lastRuns()).toEqual({ agents: [], complete: true, reading: false, notCounted: [] });
  const now = Date.now();
  const at = (minutesAgo: number) => now - minutesAgo * 60_000;
  const newest = makeSession({ startedAtMs: at(10) });
  const older = makeSession({ startedAtMs: at(1_000_000) });
  const other = makeSession({ startedAtMs: at(60) });
  for (const session of [newest, older, other]) session.call({ input: 10 });
  await writeFile(join(directory, newest.fileName), newest.text());
  await writeFile(join(directory, older.fileName), older.text());
  await plant(root, { [`agents/courier/sessions/--work--/${other.fileName}`]: other.text() });
  // A call is a second after the start of its session.
  const expected = {
    agents: [
      { id: 'courier', lastRunAt: new Date(at(60) + 1_000).toISOString() },
      { id: 'scout', lastRunAt: new Date(at(10) + 1_000).toISOString() },
    ],
    complete: true,
    reading: false,
    notCounted: [],
  };
  expect(await lastRuns()).toEqual(expected);
  await rm(join(directory, newest.fileName));
  expect(await lastRuns()).toEqual(expected);
});

test('only the operator sees sessions, because their names and directories can say much', async () => {
  const { server } = await start();
  expect((await server.call('GET', '/api/agents/scout/sessions')).status).toBe(403);
  expect((await server.call('GET', '/api/usage')).status).toBe(200);
});

test('only the operator sees the ids of sessions in the usage', async () => {
  const { server, directory } = await start();
  const session = makeSession();
  session.call({ input: 10 });
  await writeFile(join(directory, session.fileName), session.text());
  const bySession = async (headers = {}) =>
    (await server.call('GET', '/api/usage?groupBy=session', undefined, headers)).body;
  for (const agent of [undefined, 'scout']) {
    const create = { label: 'x', scopes: ['read-agents'], agent };
    const { key } = (await server.asOperator('POST', '/api/keys', create)).body;
    expect(await bySession({ Authorization: `Bearer ${key}` })).toMatchObject({ code: 'operator_required' });
  }
  const { groups } = (await server.asOperator('GET', '/api/usage?groupBy=session')).body;
  expect(groups).toMatchObject([{ key: session.id, calls: 1 }]);
  const answers = ['', '&groupBy=agent', '&groupBy=model', '&groupBy=day', '&groupBy=session'].map((query) =>
    server.call('GET', `/api/usage?from=2020-01-01T00:00:00Z${query}`),
  );
  const told = await Promise.all(answers);
  expect(told.map(({ status }) => status)).toEqual([200, 200, 200, 200, 403]);
  expect(JSON.stringify(told)).not.toContain(session.id);
});

test('only the operator sees which session files can’t be counted', { tags: 'slow' }, async () => {
  const { server, directory } = await start();
  // One line that is longer than 32 MiB.
  const long = 'x'.repeat(33 * 1024 * 1024);
  await writeFile(join(directory, 'unread.jsonl'), `${makeSession().text()}${long}\n`);
  const problems = async (call: typeof server.call) => (await call('GET', '/api/usage')).body.problems;
  expect(await problems(server.asOperator)).toEqual([
    expect.objectContaining({ path: expect.stringContaining('unread') }),
  ]);
  expect(await problems(server.call)).toEqual([]);
});

describe('the first user message', () => {
  const read = async (fill: (session: ReturnType<typeof makeSession>) => void) => {
    const { server, directory } = await start();
    const session = makeSession();
    fill(session);
    await writeFile(join(directory, session.fileName), session.text());
    const { sessions } = await list(server);
    return sessions[0] as { name: string | null; firstMessage?: string };
  };
  const user = (content: unknown) => ({ type: 'message', message: { role: 'user', content } });
  const text = (value: unknown) => ({ type: 'text', text: value });

  test('stands for a session on one line, next to a name that a person gave it', async () => {
    const session = await read((one) => {
      one.entries.push(user([{ type: 'image', data: 'AAAA', mimeType: 'image/png' }]));
      one.say('\n\n  Plan the\n\tmove  to Mars \n');
      one.call({ input: 10 });
      one.say('And back');
      one.rename('Mars');
    });
    expect(session).toMatchObject({ name: 'Mars', firstMessage: 'Plan the move to Mars' });
  });

  test('is absent where nobody has written any text', async () => {
    const session = await read((one) => {
      one.entries.push(
        user(''),
        user(' \u202e\u0000\n'),
        user(null),
        user(7),
        user({ type: 'text', text: 'no list' }),
        user([text(7), null, 'text', { type: 'thinking', thinking: 'Hm' }]),
        { type: 'message', message: { role: 'toolResult', content: [text('"user"')] } },
        { type: 'message', message: 'user' },
        { type: 'user', content: 'not a message' },
      );
      one.call({ input: 10 });
    });
    expect(session).not.toHaveProperty('firstMessage');
  });

  const ofText = async (content: unknown) =>
    (await read((session) => void session.entries.push(user(content)))).firstMessage;

  test('shows no hidden marks', async () => {
    expect(await ofText('a\u202eb\u2066c\u200bd\u001b[31me\u0000\u0085f\u2028g\u{e0041}h\ufeff')).toBe(
      'abcd [31me f gh',
    );
    // The marks that join letters and emojis stay, and so do other scripts.
    expect(await ofText('👩\u200d🚀 שלום')).toBe('👩\u200d🚀 שלום');
  });

  test('is short, whatever it contains', { tags: 'slow' }, async () => {
    expect(await ofText('x'.repeat(100))).toBe('x'.repeat(100));
    expect(await ofText('x'.repeat(3_000_000))).toBe(`${'x'.repeat(99)}…`);
    // A cut never leaves half of a character.
    expect(await ofText('🚀'.repeat(501))).toBe(`${'🚀'.repeat(99)}…`);
    expect(await ofText(Array.from({ length: 100_000 }, () => text('ab ')))).toHaveLength(59);
  });

  test('does not keep the list from reading files with lines of 10 MB, bytes that are no text, or deep nesting', {
    tags: 'slow',
  }, async () => {
    const { server, directory } = await start();
    const long = makeSession();
    long.say('x'.repeat(10 * 1024 * 1024));
    long.say('After it');
    long.call({ input: 10 });
    await writeFile(join(directory, long.fileName), long.text());
    const binary = makeSession();
    binary.call({ input: 10 });
    const [header, ...rest] = binary.text().split('\n');
    await writeFile(
      join(directory, binary.fileName),
      Buffer.concat([
        Buffer.from(`${header}\n`),
        Buffer.from([0xff, 0xfe, 0x00]),
        Buffer.from('{"type":"message","message":{"role":"user"\n'),
        Buffer.from(`{"type":"message","message":{"role":"user","content":${'['.repeat(100_000)}}}\n`),
        Buffer.from('{"type":"message","message":{"role":"user","content":"bad '),
        Buffer.from([0xff, 0xc0, 0x01]),
        Buffer.from(` end"}}\n${rest.join('\n')}`),
        Buffer.from('{"type":"message","message":{"role":"user","content":"Readable"}}\n'),
      ]),
    );
    const { sessions } = await list(server);
    const byId = new Map(sessions.map((one: { id: string }) => [one.id, one]));
    // A line so long is that of an image, so it isn't read.
    expect(byId.get(long.id)).toMatchObject({ firstMessage: 'After it', calls: 1 });
    // JSON has no control characters inside of texts.
    expect(byId.get(binary.id)).toMatchObject({ firstMessage: 'Readable', calls: 1 });
  });

  test('is shown only to the operator, and an agent key can’t even list its own agent’s sessions', async () => {
    const { server, directory } = await start();
    const session = makeSession({ cwd: '/work/mars' });
    session.say('The password is swordfish');
    session.call({ input: 10 });
    await writeFile(join(directory, session.fileName), session.text());
    const operator = { Authorization: `Bearer ${server.operatorToken}` };
    const made = { label: 'Reader', scopes: ['read-agents'], agent: 'scout' };
    const { key } = (await server.call('POST', '/api/keys', made, operator)).body;
    const list = '/api/agents/scout/sessions?q=swordfish';
    const found = await server.call('GET', list, undefined, operator);
    expect(found.body.sessions).toMatchObject([{ firstMessage: 'The password is swordfish' }]);
    for (const route of [list, `/api/sessions/${session.id}`]) {
      const refused = await server.call('GET', route, undefined, { Authorization: `Bearer ${key}` });
      expect([refused.status, refused.body.code]).toEqual([403, 'operator_required']);
    }
  });
});
