import { randomBytes } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { NEWEST_PI } from '../../../src/pi/flags.ts';
import { installPi } from '../../support/pi-program.ts';
import { plant } from '../../support/plant.ts';
import { shareServer } from '../../support/shared-server.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { servePrompts } from './serve-prompts.ts';

const { makeRoot, serve } = shareServer();

const SESSION = new URL('../../fixtures/pi-prompts/session-1.5.2.jsonl', import.meta.url);

test('returns a prompt with its sections, sources, skills and tokens', async () => {
  const { prompt, rootPath } = await servePrompts({
    'agents/scout/APPEND_SYSTEM.md': 'Be brief.\n',
    'agents/scout/AGENTS.md': 'Context.\n',
    'agents/scout/pi-args': '--model\nopenai/gpt-5.4:high\n',
    'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
  });

  const { status, body } = await prompt();

  expect(status).toBe(200);
  expect(body).toMatchObject({
    piVersion: NEWEST_PI,
    cwd: rootPath,
    trusted: false,
    complete: true,
    tools: ['read', 'bash', 'edit', 'write'],
    model: { name: 'openai/gpt-5.4', source: 'pi-args' },
    tokenizer: { name: 'o200k_base', approximate: false },
    totalTokens: countTokens(body.text),
    directories: [rootPath],
    contextFiles: [{ path: join(rootPath, 'agents/scout/AGENTS.md'), from: 'agent', tokens: 2 }],
    skills: [{ name: 'git-summary', from: 'agent', inPrompt: true, tokens: expect.any(Number) }],
    notes: [],
  });
  expect(body.sections.map(({ name, source }: { name: string; source: object }) => [name, source])).toEqual([
    ['preamble', { kind: 'file', path: join(rootPath, 'agents/scout/SYSTEM.md'), file: 'SYSTEM.md' }],
    [
      'addendum',
      { kind: 'file', path: join(rootPath, 'agents/scout/APPEND_SYSTEM.md'), file: 'APPEND_SYSTEM.md' },
    ],
    ['project_context', { kind: 'files' }],
    ['skills', { kind: 'skills' }],
    ['cwd', { kind: 'directory' }],
  ]);
  for (const { text, tokens } of body.sections) expect(tokens).toBe(countTokens(text));
});

test.each([
  ['0.70.0', '0.73'],
  ['0.86.4', '0.73'],
  ['0.87.1', '0.87'],
  ['1.4.9', '0.87'],
  ['2.0.0', NEWEST_PI],
  ['1.6.0', '1.6'],
  ['1.5.2', '1.5'],
])(
  'predicts for the installed pi %s as version %s, unless it is asked for another',
  { tags: 'slow' },
  async (version, known) => {
    const PATH = await installPi(await makeTempDirectory(), version);
    const { prompt } = await servePrompts({}, { environment: { PATH } });
    expect((await prompt()).body).toMatchObject({ piVersion: known, installedPi: version });
    expect((await prompt({ piVersion: '0.73' })).body).toMatchObject({
      piVersion: '0.73',
      installedPi: version,
    });
  },
);

test('predicts for the newest version without pi, and for one that is installed later at once', {
  tags: 'slow',
}, async () => {
  const directory = await makeTempDirectory();
  const { prompt } = await servePrompts({}, { readSearchPath: async () => join(directory, 'bin') });
  expect((await prompt()).body).toMatchObject({ piVersion: NEWEST_PI, installedPi: null });
  await installPi(directory, '0.87.1');
  expect((await prompt()).body).toMatchObject({ piVersion: '0.87', installedPi: '0.87.1' });
});

test('counts within 3 % of the tokenizer for long texts, and marks other models as approximate', {
  tags: 'slow',
}, async () => {
  const text = await readFile(new URL('../../../docs/sell.md', import.meta.url), 'utf8');
  const { prompt } = await servePrompts({
    'agents/scout/SYSTEM.md': text,
    'agents/scout/APPEND_SYSTEM.md': `${'x'.repeat(5_000)} ${'日本語 😀 '.repeat(500)}`,
    'agents/scout/pi-args': '--model\nanthropic/claude-opus-5\n',
  });
  const { body } = await prompt();
  const exact = countTokens(body.text);
  expect(Math.abs(body.totalTokens - exact)).toBeLessThan(exact * 0.03);
  expect(body.tokenizer).toEqual({ name: 'o200k_base', approximate: true });
});

test('shows files outside the root only to the operator', async () => {
  const { prompt, operator, home, rootPath } = await servePrompts();
  const outside = await makeTempDirectory();
  await plant(outside, { 'AGENTS.md': 'Outside.\n' });
  await plant(home, { '.agents/skills/mine/SKILL.md': '---\nname: mine\ndescription: Private.\n---\n' });

  const refused = await prompt({ cwd: outside });
  expect([refused.status, refused.body.code]).toEqual([403, 'outside_root']);
  expect(JSON.stringify(refused.body)).not.toContain(outside);

  const { body: partial } = await prompt();
  expect(partial.complete).toBe(false);
  expect(partial.notes).toMatchObject([{ code: 'outside_left_out' }]);
  expect(JSON.stringify(partial)).not.toContain('Private');
  expect(JSON.stringify(partial)).not.toContain(home);

  const { body: whole } = await prompt({ cwd: outside }, operator);
  expect(whole).toMatchObject({ cwd: outside, complete: true });
  expect(whole.text).toContain('Outside.');
  expect(whole.text).toContain('Private.');
  expect(whole.directories).toEqual([rootPath]);
});

test('never reads a file outside the root for a caller who names it in pi-args or by a link', async () => {
  const outside = await makeTempDirectory();
  await plant(outside, { key: 'SECRET', 'SKILL.md': '---\nname: s\ndescription: SECRET\n---\n' });
  const { prompt } = await servePrompts({
    'agents/scout/pi-args': `--append-system-prompt\n${outside}/key\n--skill\n${outside}\n`,
    'agents/scout/SYSTEM.md': { link: join(outside, 'key') },
    'agents/scout/AGENTS.md': { link: join(outside, 'key') },
  });
  const { body } = await prompt();
  expect(body.complete).toBe(false);
  expect(JSON.stringify(body)).not.toContain('SECRET');
});

test('never shows a file of logins that pi-args or a link names as a prompt', async () => {
  const { prompt, operator } = await servePrompts({
    'agents/other/mcp-auth.json': '{"token":"of-a-server"}',
    'agents/scout/auth.json': '{"token":"of-a-provider"}',
    'agents/scout/SYSTEM.md': { link: 'auth.json' },
    'agents/scout/pi-args': '--append-system-prompt\nagents/other/mcp-auth.json\n',
  });
  for (const headers of [{}, operator]) {
    const { body } = await prompt({}, headers);
    expect(body.text).not.toContain('of-a-');
    expect(body).toMatchObject({
      complete: false,
      notes: expect.arrayContaining([expect.objectContaining({ code: 'unreadable' })]),
    });
  }
});

test('refuses directories that no run can have', { tags: 'slow' }, async () => {
  const { prompt, operator, rootPath } = await servePrompts();
  for (const [cwd, code] of [
    ['relative', 'invalid_request'],
    [join(rootPath, 'nowhere'), 'not_a_directory'],
    [join(rootPath, 'setup.sh'), 'not_a_directory'],
  ] as const)
    expect((await prompt({ cwd }, operator)).body.code).toBe(code);
});

test('predicts a run in a new workspace, whose context files are those of the root', {
  tags: 'slow',
}, async () => {
  const { prompt, rootPath } = await servePrompts({
    'agents/scout/workspace.conf': 'notes\n',
    'AGENTS.md': 'Context of the root.\n',
  });
  const { body } = await prompt();
  expect(body.cwd).toMatch(/[\\/]workspaces[\\/]scout[\\/]\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$/);
  expect(body.contextFiles).toMatchObject([{ path: join(rootPath, 'AGENTS.md'), from: 'directory' }]);
});

test.each([
  ['is larger than the limit of 2 MiB', 'x'.repeat(2 * 1024 * 1024 + 1)],
  ['contains NUL bytes', 'You are a scout.\0\n'],
])(
  'says that SYSTEM.md %s, and shows no prompt of pi in its place',
  { tags: 'slow' },
  async (reason, text) => {
    const { prompt, call } = await servePrompts({ 'agents/scout/SYSTEM.md': text });
    const { body } = await prompt();
    expect(body).toMatchObject({ complete: false, unreadable: [`SYSTEM.md ${reason}`] });
    expect(body.notes).toContainEqual({
      code: 'unreadable',
      message: expect.stringContaining(`SYSTEM.md ${reason}`),
    });
    expect(body.notes.map(({ code }: { code: string }) => code)).not.toContain('default_prompt');
    expect(body.sections[0]).toMatchObject({
      source: { file: 'SYSTEM.md' },
      text: `(SYSTEM.md ${reason}, so its text is missing here.)`,
    });
    const cost = await call('GET', '/api/agents/scout/cost');
    expect(cost.body.unreadable).toEqual([`SYSTEM.md ${reason}`]);
    const checks = await call('GET', '/api/agents/scout/checks');
    expect(checks.body.findings).toContainEqual(
      expect.objectContaining({ rule: 'file-unreadable', file: 'SYSTEM.md' }),
    );
  },
);

test('says what it can’t know: own prompt of pi, unused files, extensions and unread settings', {
  tags: 'slow',
}, async () => {
  const { prompt, operator } = await servePrompts({
    'agents/scout/SYSTEM.md': '',
    'agents/scout/AGENT.md': 'Not used.\n',
    'agents/scout/APPEND_SYSTEM.md': 'Not used.\n',
    'agents/scout/pi-args': '--append-system-prompt\nBrief.\n--tools\nread,search\n',
    'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
    'agents/scout/settings.json': '{"packages":["npm:more"],"skills":["../more"]}',
    '.pi/SYSTEM.md': 'Of the project.\n',
  });
  const { body } = await prompt();
  expect(body.notes.map(({ code }: { code: string }) => code)).toEqual([
    'settings_unread',
    'packages_unread',
    'default_prompt',
    'pi_directory_unknown',
    'agent_md_unused',
    'append_unused',
    'unknown_tools',
    'project_not_trusted',
    'extensions',
  ]);
  expect(body.complete).toBe(false);
  expect((await prompt({ trusted: 'true' }, operator)).body.text).toContain('Of the project.');
  expect((await prompt({ trusted: 'true' })).body.text).toContain('[hidden: .pi/SYSTEM.md]');
});

// pi 1.5.2: `isEnabledByOverrides` for what is in a directory, each with the directory above it as its base
// (`addAutoDiscoveredResources`), and `toResolvedPaths`, which drops a file that was met before, even if that was off.
test('leaves out what settings.json switches off: skills of the agent and of the home, and extensions', {
  tags: 'slow',
}, async () => {
  const skill = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\n`;
  const { prompt, home, operator, rootPath } = await servePrompts({
    'shared/skills/plan/SKILL.md': skill('plan'),
    'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
    'agents/scout/skills/plan': { link: '../../../shared/skills/plan' },
    'agents/scout/skills/zz-plan': { link: '../../../shared/skills/plan' },
    'agents/scout/AGENT.md': 'From AGENT.md.\n',
    'agents/scout/extensions/agent-prompt.ts': 'export default () => {};\n',
    'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
    'agents/scout/settings.json': JSON.stringify({
      skills: ['-skills/plan', '!skills/of-home*'],
      extensions: ['!**/{say,agent-prompt}.ts', '-builtin:mcp'],
    }),
  });
  await plant(home, {
    '.agents/skills/of-home/SKILL.md': skill('of-home'),
    '.agents/skills/other/SKILL.md': skill('other'),
  });
  const { body } = await prompt({}, operator);
  expect(body.skills.map(({ name }: { name: string }) => name)).toEqual(['git-summary', 'other']);
  expect(body.text).not.toContain('Does plan.');
  expect(body.leftOutSkills).toEqual([
    ...['plan', 'zz-plan'].map((name) => ({
      path: join(rootPath, 'agents/scout/skills', name, 'SKILL.md'),
      reason: 'switched_off',
    })),
    { path: join(home, '.agents/skills/of-home/SKILL.md'), reason: 'switched_off' },
  ]);
  // Patterns add nothing, so nothing is missing.
  expect(body.complete).toBe(true);
  expect(body.notes.map(({ code }: { code: string }) => code)).toEqual(['agent_md_unused']);
});

test('knows both extensions that read AGENT.md, and says when one may write it differently', {
  tags: 'slow',
}, async () => {
  const agentMd = { 'agents/scout/AGENT.md': '---\ntools: read\n---\nFrom AGENT.md.\n' };
  const codes = ({ body }: { body: { notes: { code: string }[] } }) => body.notes.map(({ code }) => code);
  const appends =
    'export default (pi) => pi.on("before_agent_start", (e) => ({ systemPrompt: e.systemPrompt }));\n';
  const plain = await (
    await servePrompts({ ...agentMd, 'agents/scout/extensions/agent-prompt.ts': appends })
  ).prompt();
  expect(codes(plain)).toEqual(['agent_md_differs']);
  const ofDotPi = await (
    await servePrompts({ ...agentMd, 'agents/scout/extensions/agent-prompt/index.ts': appends })
  ).prompt();
  expect(codes(ofDotPi)).toEqual(['agent_md_differs']);
  expect(ofDotPi.body).toMatchObject({ tools: ['read'], text: expect.stringContaining('From AGENT.md.') });
  const setsSection =
    'export default (pi) => pi.on("x", (e) => { e.systemPromptOptions.sections.agent = ""; });\n';
  const own = await (
    await servePrompts({ ...agentMd, 'agents/scout/extensions/agent-prompt.ts': setsSection })
  ).prompt();
  expect(codes(own)).toEqual([]);
});

test('fills in the directory of the pi on the search path, for the operator', { tags: 'slow' }, async () => {
  const bin = await makeTempDirectory();
  await plant(bin, {
    'lib/pi/package.json': '{"name":"@earendil-works/pi-coding-agent"}',
    'lib/pi/dist/cli.js': { script: '' },
    'bin/pi': { link: '../lib/pi/dist/cli.js' },
  });
  const server = await serve(await makeRoot({ 'agents/scout/SYSTEM.md': '' }), {
    environment: { PATH: join(bin, 'bin') },
  });
  const { body } = await server.call('GET', '/api/agents/scout/prompt', undefined, {
    Authorization: `Bearer ${server.operatorToken}`,
  });
  expect(body.text).toContain(`- Additional docs: ${join(bin, 'lib/pi')}/docs\n`);
});

test('follows changes on disk', { tags: 'slow' }, async () => {
  const { prompt, rootPath } = await servePrompts();
  expect((await prompt()).body.text).toContain('You are a scout.');
  await plant(rootPath, { 'agents/scout/SYSTEM.md': 'You are new.\n' });
  expect((await prompt()).body.text).toContain('You are new.');
});

test('returns what was sent last, only to the operator', async () => {
  const session = (await readFile(SESSION, 'utf8')).replaceAll('{world}', '/world');
  const older = '{"type":"session","version":3,"id":"a","timestamp":"2026-11-20T10:00:00.000Z","cwd":"/"}\n';
  const { prompt, operator } = await servePrompts({
    'agents/scout/sessions/--world--/2026_b.jsonl': session,
    'workspaces/scout/2026-11-23_09-00-00/sessions/2026_a.jsonl': older,
  });
  const { lastSent } = (await prompt({}, operator)).body;
  expect(lastSent).toMatchObject({
    session: 'agents/scout/sessions/--world--/2026_b.jsonl',
    cwd: '/world/work/project',
    tools: ['read', 'grep'],
    partial: false,
  });
  const text = lastSent.sections.map((section: { text: string }) => section.text).join('\n\n');
  expect(text).toMatch(/^You are a scout\.\n/);
  expect(text).toContain('<agent>\nThe text of AGENT.md.\n</agent>');
  expect(lastSent.tokens).toBe(countTokens(text));

  // The name of its directory says where it ran.
  expect((await prompt()).body.lastSent).toBeUndefined();
});

/** The line that records a prompt of one section, sent in this minute of an hour. */
const promptLine = (minute: number): string =>
  JSON.stringify({
    type: 'message',
    timestamp: `2026-11-23T10:0${minute}:00.000Z`,
    message: { role: 'system', sections: { preamble: `Session ${minute}.` } },
  });

test('finds the last session where the operator put sessions', { tags: 'slow' }, async () => {
  const outside = await makeTempDirectory();
  const { prompt, operator } = await servePrompts(
    { 'agents/scout/sessions/a/first.jsonl': promptLine(1) },
    {
      environment: {
        SESSION_DIRECTORIES: `scout=${join(outside, 'scout')},other=${join(outside, 'other')},scout=${join(outside, 'later')}`,
      },
    },
  );
  // Newer than the one in the root.
  await plant(outside, { 'scout/work/second.jsonl': promptLine(2), 'other/third.jsonl': promptLine(3) });
  const path = join(await realpath(outside), 'scout', 'work', 'second.jsonl');
  expect((await prompt({}, operator)).body.lastSent).toMatchObject({
    session: path,
    sections: [{ text: 'Session 2.' }],
  });
});

test('finds the last session where --session-dir and sessionDir put it, but nowhere outside the root', {
  tags: 'slow',
}, async () => {
  const { prompt, operator, rootPath } = await servePrompts({
    'agents/scout/sessions/a/first.jsonl': promptLine(1),
  });
  const sent = async () => (await prompt({}, operator)).body.lastSent.sections[0].text;
  expect(await sent()).toBe('Session 1.');
  await plant(rootPath, {
    'agents/scout/settings.json': '{ "sessionDir": "logs" }',
    'agents/scout/logs/work/second.jsonl': promptLine(2),
  });
  expect(await sent()).toBe('Session 2.');
  await plant(rootPath, {
    'agents/scout/pi-args': '--session-dir\nruns\n',
    'workspaces/scout/2026-11-23_10-00-00/runs/third.jsonl': promptLine(3),
  });
  expect(await sent()).toBe('Session 3.');
  await plant(rootPath, { 'runs/fourth.jsonl': promptLine(4) });
  expect(await sent()).toBe('Session 4.');

  const outside = await makeTempDirectory();
  await plant(outside, { 'fifth.jsonl': promptLine(5), 'sixth.jsonl': promptLine(6) });
  await plant(rootPath, {
    'agents/scout/settings.json': JSON.stringify({ sessionDir: outside }),
    'agents/scout/pi-args': '--session-dir\nlinked\n',
    linked: { link: outside },
  });
  expect(await sent()).toBe('Session 1.');
});

test('applies later changes of a session, and skips what is not a session', { tags: 'slow' }, async () => {
  const line = (message: object, timestamp: string) =>
    JSON.stringify({ type: 'message', id: 'x', timestamp, message });
  const { prompt, operator } = await servePrompts({
    'agents/scout/sessions/a/new.jsonl': [
      'not JSON "role":"system"',
      line(
        { role: 'system', sections: { preamble: 'One.', skills: 'Two.' }, toolsAdded: [{ name: 'read' }] },
        '2026-11-23T10:00:00.000Z',
      ),
      line({ role: 'user', content: 'x'.repeat(600_000) }, '2026-11-23T10:00:01.000Z'),
      line(
        { role: 'system', sections: { preamble: 'Three.', skills: null }, toolsRemoved: ['read'] },
        '2026-11-23T11:00:00.000Z',
      ),
    ].join('\n'),
    'agents/scout/sessions/a/linked.jsonl': { link: '/etc/passwd' },
  });
  expect((await prompt({}, operator)).body.lastSent).toMatchObject({
    at: '2026-11-23T11:00:00.000Z',
    sections: [{ name: 'preamble', text: 'Three.' }],
    tools: [],
  });
});

test('counting the tokens of long random text lets other prompts through', { tags: 'slow' }, async () => {
  // Quadratic work for the tokenizer, and different for each request.
  const random = (length: number) =>
    randomBytes(length)
      .toString('base64url')
      .replaceAll(/[^a-z]/g, 'q');
  const server = await serve(
    await makeRoot({
      'agents/heavy/SYSTEM.md': random(100_000),
      'agents/light/SYSTEM.md': 'You are quick.\n',
    }),
  );
  await server.call('GET', '/api/agents/light/prompt');
  const order: string[] = [];
  const heavy = server.call('GET', '/api/agents/heavy/prompt').then(({ status }) => {
    order.push('heavy');
    return status;
  });
  while (!order.includes('heavy')) {
    await server.call('GET', '/api/agents/light/prompt');
    order.push('light');
  }
  expect(await heavy).toBe(200);
  expect(order.indexOf('heavy')).toBeGreaterThan(3);
});

test('extensions that pi-args or settings.json name are listed, also with --no-extensions and --no-tools', async () => {
  const { call } = await servePrompts({
    'agents/scout/pi-args': '--no-tools\n--no-extensions\n-e\n/elsewhere/tool.ts\n',
    'agents/writer/SYSTEM.md': 'Write.\n',
    'agents/writer/settings.json': '{"extensions":["../../more.ts","-builtin:mcp"]}',
  });
  const noted = async (id: string) =>
    (await call('GET', `/api/agents/${id}/prompt`)).body.notes.find(
      ({ code }: { code: string }) => code === 'extensions',
    )?.message;
  expect(await noted('scout')).toContain('/elsewhere/tool.ts');
  expect(await noted('writer')).toContain('../../more.ts');
  expect(await noted('writer')).not.toContain('builtin');
  expect((await call('GET', '/api/agents/scout/prompt?cwd=/a%00b')).status).toBe(400);
});
