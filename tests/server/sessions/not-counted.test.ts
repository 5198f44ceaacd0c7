import { link, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** What agents spent where dot-mi could overlook it: it's counted, or said to be missing. */

const start = async (tree: Record<string, string> = {}) => {
  const root = await makeRoot({ 'agents/ada/SYSTEM.md': 'Hi', 'agents/ben/SYSTEM.md': 'Hi', ...tree });
  const server = await serve(root);
  const at = (...names: string[]) => join(root, ...names);
  const write = async (path: string, text: string) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  const usage = async () => {
    const { status, body } = await server.asOperator('GET', '/api/usage');
    expect([status, body.reading]).toEqual([200, false]);
    return body;
  };
  return {
    root,
    server,
    at,
    write,
    usage,
    link: async (path: string, target: string) => {
      await mkdir(dirname(path), { recursive: true });
      await symlink(target, path);
    },
    /** The dollars of each agent, and whose sessions aren't counted. */
    counted: async () => {
      const { groups, complete, notCounted } = await usage();
      const usd = Object.fromEntries(
        groups.map(({ key, usdRecorded }: { key: string; usdRecorded: number }) => [key, usdRecorded]),
      );
      return { ...usd, complete, notCounted };
    },
    problems: async () => (await usage()).problems,
    budget: async (agent: string) => (await server.call('GET', `/api/agents/${agent}/budget`)).body,
  };
};

const sessionOf = (...usds: number[]) => {
  const session = makeSession({ startedAtMs: Date.now() - 60_000 });
  for (const usd of usds) session.call({ input: 10, output: 1, usd });
  return session;
};

const WHOLE = { complete: true, notCounted: [] };

describe('agents that an agent starts', () => {
  test('are counted wherever they store their sessions, and use up its budget', async () => {
    const { at, write, counted, server, budget } = await start();
    const own = sessionOf(0.01);
    await write(at('agents/ada/sessions/--x--', own.fileName), own.text());
    const child = sessionOf(3, 3);
    await write(at('agents/ada/sessions/--x--/T_p/abc123/run-0/session.jsonl'), child.text());
    const grandchild = sessionOf(1);
    await write(
      at('agents/ada/sessions/--x--/T_p/abc123/run-0/T_q/def456/run-1/session.jsonl'),
      grandchild.text(),
    );
    expect(await counted()).toEqual({ ada: 7.01, ...WHOLE });
    await server.asOperator('PUT', '/api/agents/ada/budget', { usdPerDay: 7 });
    expect(await budget('ada')).toMatchObject({ exceeded: true, complete: true, notCounted: false });
  });

  test('in a workspace are counted too', { tags: 'slow' }, async () => {
    const { at, write, counted } = await start();
    await write(
      at('workspaces/ada/2026-11-23/sessions/T_p/abc123/run-0/run-1/session.jsonl'),
      sessionOf(2).text(),
    );
    expect(await counted()).toEqual({ ada: 2, ...WHOLE });
  });

  test('leave transcripts without a session’s header, which repeat the calls and don’t count', async () => {
    const { at, write, counted, problems, server } = await start();
    const child = sessionOf(3, 4);
    await write(at('agents/ada/sessions/--x--/T_p/abc123/run-0/session.jsonl'), child.text());
    const [, ...lines] = child.text().split('\n');
    const transcript = at('agents/ada/sessions/--x--/subagent-artifacts/abc_transcript.jsonl');
    // Other ids, so that only the header tells.
    await write(transcript, lines.join('\n').replaceAll('"id":"', '"id":"other-'));
    // A header further down doesn't make it a session, and neither does a name make one that isn't.
    await write(transcript.replace('abc_', 'def_'), `${lines[0]}\n${sessionOf(50).text()}`);
    const named = sessionOf(0.5);
    await write(at('agents/ada/sessions/--x--/subagent-artifacts/ghi_transcript.jsonl'), named.text());
    expect(await counted()).toEqual({ ada: 7.5, ...WHOLE });
    expect(await problems()).toEqual([]);
    const { body } = await server.asOperator('GET', '/api/agents/ada/sessions');
    expect(body).toMatchObject({ ...WHOLE, notCounted: false, reading: false });
    expect(body.sessions.map(({ id }: { id: string }) => id).sort()).toEqual([child.id, named.id].sort());
  });
});

describe('a link', () => {
  test('to a directory or file in the root is followed, and each file counts once', async () => {
    const { at, write, link: linkTo, counted, server } = await start();
    const [whole, folder, single] = [sessionOf(1), sessionOf(2), sessionOf(4)];
    await write(at('kept/ada/--x--', whole.fileName), whole.text());
    await linkTo(at('agents/ada/sessions'), '../../kept/ada');
    await write(at('kept/folder', folder.fileName), folder.text());
    await linkTo(at('agents/ben/sessions/--x--'), at('kept/folder'));
    await linkTo(at('agents/ben/sessions/--y--'), '../../../kept/folder');
    await write(at('kept/files/any-name'), single.text());
    await linkTo(at('agents/ben/sessions', single.fileName), at('kept/files/any-name'));
    await linkTo(at('agents/ben/sessions/again.jsonl'), `./${single.fileName}`);
    expect(await counted()).toEqual({ ada: 1, ben: 6, ...WHOLE });
    const { body } = await server.asOperator('GET', '/api/agents/ben/sessions');
    expect(body.sessions).toHaveLength(2);
    // The very next response shows what is added behind a link.
    await write(at('kept/folder/more.jsonl'), sessionOf(8).text());
    expect(await counted()).toEqual({ ada: 1, ben: 14, ...WHOLE });
    const { body: read } = await server.asOperator('GET', `/api/sessions/${single.id}`);
    expect(read).toMatchObject({ agent: 'ben', path: 'kept/files/any-name' });
  });

  test('of a workspace is followed, as is a workspace that is one', { tags: 'slow' }, async () => {
    const { at, write, link: linkTo, counted } = await start();
    await write(at('kept/a/one.jsonl'), sessionOf(1).text());
    await linkTo(at('workspaces/ada/2026-11-23/sessions'), at('kept/a'));
    await write(at('kept/b/2026-11-23/sessions/two.jsonl'), sessionOf(2).text());
    await linkTo(at('workspaces/ben'), '../kept/b');
    // Not a place where sessions are stored.
    await linkTo(at('workspaces/ada/2026-11-23/repository'), at('kept'));
    expect(await counted()).toEqual({ ada: 1, ben: 2, ...WHOLE });
  });

  test('in a circle ends', async () => {
    const { at, write, link: linkTo, counted } = await start();
    await write(at('agents/ada/sessions/--x--/one.jsonl'), sessionOf(1).text());
    for (const [name, target] of [
      ['up', '..'],
      ['self', 'self'],
      ['sessions', '.'],
      ['root', at()],
      ['there', '../--y--'],
    ] as const)
      await linkTo(at('agents/ada/sessions/--x--', name), target);
    await linkTo(at('agents/ada/sessions/--y--/back'), '../--x--');
    await linkTo(at('agents/ben/sessions'), 'sessions');
    await linkTo(at('agents/ben/gone.jsonl'), 'nowhere');
    expect(await counted()).toEqual({ ada: 1, ...WHOLE });
  });

  test('out of the root isn’t followed, and names its agent', async () => {
    const outside = await makeTempDirectory();
    const {
      at,
      write,
      link: linkTo,
      counted,
      problems,
      server,
      budget,
    } = await start({
      'agents/cy/SYSTEM.md': 'Hi',
      'agents/dot/SYSTEM.md': 'Hi',
    });
    await write(join(outside, 'one.jsonl'), sessionOf(5).text());
    await write(at('agents/dot/sessions/one.jsonl'), sessionOf(1).text());
    await linkTo(at('agents/ada/sessions'), outside);
    await linkTo(at('agents/ben/sessions/--x--'), join(outside, 'not-there'));
    await linkTo(at('hop'), outside);
    await linkTo(at('agents/cy/sessions/one.jsonl'), '../../../hop/one.jsonl');
    await linkTo(at('workspaces/courier'), outside);
    const names = ['ada', 'ben', 'courier', 'cy'];
    expect(await counted()).toEqual({ dot: 1, complete: false, notCounted: names });
    expect((await problems()).map(({ path }: { path: string }) => path)).toEqual([
      'agents/ada/sessions',
      'agents/ben/sessions/--x--',
      'agents/cy/sessions/one.jsonl',
      'workspaces/courier',
    ]);
    for (const agent of ['ada', 'dot']) {
      const isMissing = agent === 'ada';
      const expected = { complete: !isMissing, notCounted: isMissing, reading: false };
      expect(await budget(agent)).toMatchObject(expected);
      const { body } = await server.asOperator('GET', `/api/agents/${agent}/sessions`);
      expect(body).toMatchObject(expected);
      const { body: own } = await server.call('GET', `/api/usage?agent=${agent}`);
      expect(own).toMatchObject({ complete: !isMissing, notCounted: isMissing ? ['ada'] : [] });
    }
    for (const path of ['usage/last-runs', 'earnings'])
      expect((await server.asOperator('GET', `/api/${path}`)).body).toMatchObject({
        complete: false,
        reading: false,
        notCounted: names,
      });
    // Everybody else learns nothing about what is there.
    const { body } = await server.call('GET', '/api/usage');
    expect(JSON.stringify(body)).not.toContain(outside);
  });

  test('of all workspaces is followed in the root, and out of it names everybody', async () => {
    const outside = await makeTempDirectory();
    const { at, write, link: linkTo, counted, budget } = await start();
    await write(at('agents/ada/sessions/one.jsonl'), sessionOf(1).text());
    await write(at('kept/ben/2026-11-23/sessions/two.jsonl'), sessionOf(2).text());
    await linkTo(at('workspaces'), 'kept');
    expect(await counted()).toEqual({ ada: 1, ben: 2, ...WHOLE });
    await rm(at('workspaces'));
    await linkTo(at('workspaces'), outside);
    expect(await counted()).toMatchObject({
      complete: false,
      notCounted: ['ada', 'ben', 'scout'],
    });
    expect(await budget('scout')).toMatchObject({ complete: false, notCounted: true });
  });

  test('to another agent’s sessions counts for that agent, and names the one that has it', async () => {
    const { at, write, link: linkTo, counted } = await start();
    await write(at('agents/ben/sessions/one.jsonl'), sessionOf(1).text());
    await linkTo(at('agents/ada/sessions'), '../ben/sessions');
    expect(await counted()).toEqual({ ben: 1, complete: false, notCounted: ['ada'] });
  });

  test('as settings.json is read in the root, and out of it or unreadable names its agent', async () => {
    const outside = await makeTempDirectory();
    const {
      at,
      write,
      link: linkTo,
      counted,
      problems,
    } = await start({
      'agents/cy/SYSTEM.md': 'Hi',
      'agents/dot/settings.json': '{"sessionDir":""}',
    });
    await write(at('kept/one.jsonl'), sessionOf(1).text());
    await write(at('shared/settings.json'), JSON.stringify({ sessionDir: at('kept') }));
    await linkTo(at('agents/ada/settings.json'), '../../shared/settings.json');
    await linkTo(at('agents/ben/settings.json'), join(outside, 'settings.json'));
    await write(at('agents/cy/settings.json'), `{"x":"${'y'.repeat(3_000_000)}"}`);
    expect(await counted()).toEqual({ ada: 1, complete: false, notCounted: ['ben', 'cy'] });
    expect((await problems()).map(({ path }: { path: string }) => path)).toEqual([
      'agents/ben/settings.json',
      'agents/cy/settings.json',
    ]);
    // The linked file isn't in the agent's directory, and still the next response follows it.
    await write(at('shared/settings.json'), JSON.stringify({ sessionDir: outside }));
    expect(await counted()).toMatchObject({ notCounted: ['ada', 'ben', 'cy'] });
  });
});

describe('a --session-dir in pi-args', () => {
  test('is read in the root, and otherwise named as not counted', async () => {
    const outside = await makeTempDirectory();
    const { at, write, counted, problems, budget } = await start({
      'agents/ada/pi-args': '--no-skills\n--session-dir\nruns\n',
      'agents/cy/pi-args': '# --session-dir\n# runs\n',
    });
    await write(at('agents/ben/pi-args'), `--session-dir ${outside}\n`);
    await write(at('agents/dot/pi-args'), `--session-dir\n${at('kept')}\n`);
    await write(at('kept/one.jsonl'), sessionOf(1).text());
    expect(await counted()).toEqual({ dot: 1, complete: false, notCounted: ['ada', 'ben'] });
    expect(await problems()).toEqual([
      {
        path: 'agents/ada/pi-args',
        problem: 'Its --session-dir is relative to each run’s directory, so those sessions aren’t counted.',
      },
      {
        path: 'agents/ben/pi-args',
        problem: 'Its --session-dir is outside the root, so those sessions aren’t counted.',
      },
    ]);
    expect(await budget('ada')).toMatchObject({ complete: false, notCounted: true });
    // The next response follows the file.
    await write(at('agents/ada/pi-args'), '--no-skills\n');
    expect(await counted()).toMatchObject({ notCounted: ['ben'] });
  });

  test('is counted in a workspace, where launchers put it', async () => {
    const { at, write, counted } = await start({
      'agents/ada/pi-args': '--session-dir\nsessions\n',
      'agents/ada/workspace.conf': 'sources\n',
      'agents/ben/pi-args': '--session-dir\n./out/sessions/\n',
      'agents/ben/workspace.conf': '',
      // No workspace, and in one another directory or one above it.
      'agents/cy/pi-args': '--session-dir\nsessions\n',
      'agents/dot/pi-args': '--session-dir\nlogs\n',
      'agents/dot/workspace.conf': '',
      'agents/eve/pi-args': '--session-dir\n../sessions\n',
      'agents/eve/workspace.conf': '',
    });
    await write(at('workspaces/ada/2026-11-29/sessions/one.jsonl'), sessionOf(1).text());
    await write(at('workspaces/ben/2026-11-29/out/sessions/one.jsonl'), sessionOf(2).text());
    expect(await counted()).toEqual({ ada: 1, ben: 2, complete: false, notCounted: ['cy', 'dot', 'eve'] });
  });

  test('a relative sessionDir in settings.json is one of each run too', async () => {
    const { counted } = await start({ 'agents/ada/settings.json': '{"sessionDir":"sessions"}' });
    expect(await counted()).toEqual({ complete: false, notCounted: ['ada'] });
  });
});

describe('a file', () => {
  const session = sessionOf(1, 2);
  const [header = '', first = '', second = ''] = session.text().split('\n');
  const file = (...lines: string[]) => lines.map((line) => `${line}\n`).join('');

  const FILES: readonly (readonly [name: string, text: string, usd: number, complete: boolean])[] = [
    ['whole', file(header, first, second), 3, true],
    [
      'with blank lines and Windows line endings',
      file('', `${header}\r`, '\r', `${first}\r`, second),
      3,
      true,
    ],
    ['that holds only a header', file(header), 0, true],
    ['that is empty', '', 0, true],
    ['of another kind', file('{"type":"note","text":"usage"}', first), 0, true],
    ['of a newer format', file(header.replace('"version":3', '"version":4'), first, second), 3, false],
    [
      'of a format that isn’t a number',
      file(header.replace('"version":3', '"version":"x"'), first),
      1,
      false,
    ],
    ['whose last line has no end', `${file(header, first)}${second.slice(0, -40)}`, 1, false],
    ['with a line that was cut off', file(header, first.slice(0, -5) + second, second), 2, false],
    ['with a line that was cut off before its cost', file(header, first, second.slice(0, 60)), 1, false],
    [
      'nested too deep',
      file(header, first, second.replace(/}$/, `,"x":${'['.repeat(1_100)}${']'.repeat(1_100)}}`)),
      1,
      false,
    ],
    [
      'with a cost that is no number',
      file(header, first, second.replace('"total":2', '"total":"2"')),
      1,
      false,
    ],
    ['with an impossible cost', file(header, first, second.replace('"total":2', '"total":2e9')), 1, false],
    ['whose header was cut off', file(header.slice(0, 40), first, second), 0, false],
    ['whose header has no id', file(header.replace(/"id":"[^"]*",/, ''), first, second), 0, false],
    ['of garbage', '{"usage" broken\n'.repeat(1_000), 0, false],
  ];

  test('that can’t be counted entirely names its agent, also when nothing has to be read again', async () => {
    const { at, write, usage } = await start();
    // Each has calls of its own, because the same call counts once.
    const textOf = (text: string, number: number) => text.replaceAll('"id":"', `"id":"${number}-`);
    const pathOf = (number: number) => at(`agents/a${number}/sessions/--x--/one.jsonl`);
    for (const [number, [, text]] of FILES.entries()) await write(pathOf(number), textOf(text, number));
    for (const round of [1, 2]) {
      const { groups, notCounted } = await usage();
      const found = FILES.map(([name], number) => {
        const own = groups.find(({ key }: { key: string }) => key === `a${number}`);
        return [name, own?.usdRecorded ?? 0, !notCounted.includes(`a${number}`)];
      });
      expect(found, `round ${round}`).toEqual(FILES.map(([name, , usd, complete]) => [name, usd, complete]));
    }
    for (const number of FILES.keys()) await rm(pathOf(number));
    expect(await usage()).toMatchObject({ ...WHOLE, problems: [] });
  });

  test('is named in the response, and more of them than it lists hide nobody', {
    tags: 'slow',
  }, async () => {
    const { at, write, counted, problems } = await start();
    for (let number = 0; number < 25; number++)
      await write(at(`agents/ada/sessions/${number}.jsonl`), 'not JSON\n');
    await write(at('agents/ben/sessions/one.jsonl'), 'not JSON\n');
    expect(await counted()).toEqual({ complete: false, notCounted: ['ada', 'ben'] });
    expect(await problems()).toHaveLength(20);
  });

  test('with a second name counts once', { tags: 'slow' }, async () => {
    const { at, write, counted } = await start();
    await write(at('agents/ada/sessions/one.jsonl'), sessionOf(1).text());
    await link(at('agents/ada/sessions/one.jsonl'), at('agents/ada/sessions/two.jsonl'));
    expect(await counted()).toEqual({ ada: 1, ...WHOLE });
  });
});

test('a directory that is nested too deeply names its agent', async () => {
  const { at, write, counted } = await start();
  const deep = (levels: number) => at('agents/ada/sessions', ...Array<string>(levels).fill('d'), 'one.jsonl');
  await write(deep(15), sessionOf(1).text());
  expect(await counted()).toEqual({ ada: 1, ...WHOLE });
  await write(deep(16), sessionOf(1).text());
  expect(await counted()).toEqual({ ada: 1, complete: false, notCounted: ['ada'] });
});

test('tokens of more models than a session lists are still part of it', async () => {
  const { at, write, server } = await start();
  const session = makeSession();
  for (let model = 0; model < 150; model++) session.call({ input: 10 }, { model: `model-${model}` });
  await write(at('agents/ada/sessions', session.fileName), session.text());
  const { body } = await server.asOperator('GET', '/api/agents/ada/sessions');
  expect(body.sessions).toMatchObject([{ calls: 150, tokens: 1_500, unpricedTokens: 1_500 }]);
  expect(body.sessions[0].models).toHaveLength(100);
});
