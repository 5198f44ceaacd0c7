import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AgentChecks, Finding } from '../../../src/shared/api/checks.ts';
import type { Tree } from '../../support/root.ts';
import type { TestServer } from '../../support/server.ts';
import { shareServer } from '../../support/shared-server.ts';

const { makeRoot, serve } = shareServer();

const RULE = 'pi-args-several-tokens';
const PROBLEMS: Tree = {
  'agents/scout/pi-args': '# Read only\n--model local/qwen\n--tools read,bash\n',
  'agents/scout/AGENT.md': '---\nmodel: local/qwen\n---\n',
  'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
  'agents/scout/skills/mine/SKILL.md': '---\nname: other\ndescription: Summarises. Use it always.\n---\n',
  'shared/skills/git-summary/SKILL.md': '---\nname: git-sum\ndescription: Summarises a branch.\n---\n',
};

const serveProblems = async (more: Tree = {}) => {
  const root = await makeRoot({ ...PROBLEMS, ...more });
  return { root, server: await serve(root) };
};

const check = async (server: TestServer, id = 'scout'): Promise<AgentChecks> => {
  const { status, body } = await server.call('GET', `/api/agents/${id}/checks`);
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
};

const ofRule = ({ findings }: { findings: readonly Finding[] }, rule: string) =>
  findings.filter((finding) => finding.rule === rule);

const placeOf = ({ rule, file, line, column }: Finding) => ({ rule, file, line, column });

const fix = (server: TestServer, findings: readonly Finding[], etags: AgentChecks['etags']) =>
  server.call('POST', '/api/agents/scout/checks/fix', { findings: findings.map(placeOf), etags });

describe('checking', () => {
  test('lists what is wrong in an agent and its own skills, and names its shared skills', async () => {
    const { server } = await serveProblems();
    const found = await check(server);
    expect(ofRule(found, RULE)).toMatchObject([
      { file: 'pi-args', line: 2, column: 1, endLine: 2, endColumn: 19, fix: { safe: true } },
      { file: 'pi-args', line: 3 },
    ]);
    expect(ofRule(found, 'agent-md-unread')).toHaveLength(1);
    const [own] = ofRule(found, 'skill-name-directory');
    expect(own).toMatchObject({ file: 'skills/mine/SKILL.md', line: 2 });
    // No route writes a skill.
    expect(own?.fix).toBeUndefined();
    expect(found.linkedSkills).toMatchObject([{ name: 'git-summary', warnings: expect.any(Number) }]);
    expect(found.truncated).toBe(false);
    const { body: file } = await server.call('GET', '/api/agents/scout/file?path=pi-args');
    expect(found.etags['pi-args']).toBe(file.etag);

    const { body: skill } = await server.call('GET', '/api/catalog/skills/git-summary/checks');
    expect(ofRule(skill, 'skill-name-directory')).toMatchObject([{ file: 'SKILL.md', line: 2 }]);
    const { status, body } = await server.call('GET', '/api/catalog/skills/none/checks');
    expect([status, body.code]).toEqual([404, 'shared_entry_not_found']);
  });

  test('counts the findings of all agents and shared skills, and follows every change', async () => {
    const { root, server } = await serveProblems({ 'agents/fine/SYSTEM.md': 'You are fine.\n' });
    const counts = async () => (await server.call('GET', '/api/checks')).body;
    const ofScout = async () => {
      const { agents } = await counts();
      return agents.find(({ id }: { id: string }) => id === 'scout');
    };
    const { findings } = await check(server);
    const warnings = findings.filter(({ severity }) => severity === 'warning').length;
    expect(await ofScout()).toMatchObject({ warnings });
    expect((await counts()).skills).toMatchObject([{ name: 'git-summary' }]);

    await writeFile(join(root, 'agents/scout/pi-args'), '--model\nlocal/qwen\n--tools\nread,bash\n');
    expect(await ofScout()).toMatchObject({ warnings: warnings - 2 });
    await symlink(
      '../../../shared/extensions/agent-prompt.ts',
      join(root, 'agents/scout/extensions/agent-prompt.ts'),
    );
    // The link is broken, so nothing reads AGENT.md.
    expect(ofRule(await check(server), 'agent-md-unread')).toHaveLength(1);
    await writeFile(join(root, 'shared/extensions/agent-prompt.ts'), 'export default () => {};\n');
    expect(ofRule(await check(server), 'agent-md-unread')).toEqual([]);
    await writeFile(
      join(root, 'shared/skills/git-summary/SKILL.md'),
      '---\nname: git-summary\ndescription: Summarises a branch. Use it before a review.\n---\n',
    );
    expect(
      ofRule(
        (await server.call('GET', '/api/catalog/skills/git-summary/checks')).body,
        'skill-name-directory',
      ),
    ).toEqual([]);
    await rm(join(root, 'agents/scout'), { recursive: true });
    expect(await ofScout()).toBeUndefined();
    expect((await server.call('GET', '/api/agents/scout/checks')).body.code).toBe('agent_not_found');
  });

  test('takes what settings.json switches off for not loaded, file by file', async () => {
    const skill = '---\nname: notes\ndescription: Takes notes. Use it in a call.\n---\n';
    const { root, server } = await serveProblems({
      'shared/extensions/reader/package.json': '{"pi":{"extensions":["agent-prompt.ts"]}}',
      'shared/extensions/reader/agent-prompt.ts': 'export default () => {};\n',
      'agents/scout/extensions/agent-prompt': { link: '../../../shared/extensions/reader' },
      'agents/scout/skills/a/SKILL.md': skill,
      'agents/scout/skills/b/SKILL.md': skill,
    });
    const rules = async () => {
      const found = await check(server);
      return ['agent-md-unread', 'skill-shadowed'].map((rule) => ofRule(found, rule).length);
    };
    const settings = (lists: object) =>
      writeFile(join(root, 'agents/scout/settings.json'), JSON.stringify(lists));
    expect(await rules()).toEqual([0, 1]);
    await settings({ skills: ['-skills/b'], extensions: ['!agent-prompt.ts'] });
    expect(await rules()).toEqual([1, 0]);
    await writeFile(
      join(root, 'shared/extensions/reader/package.json'),
      '{"pi":{"extensions":["agent-prompt.ts","more.ts"]}}',
    );
    await writeFile(join(root, 'shared/extensions/reader/more.ts'), 'export default () => {};\n');
    expect(await rules()).toEqual([0, 0]);
    await settings({});
    expect(await rules()).toEqual([0, 1]);
  });

  test('agrees with the list of links on what is broken, and on what can be repaired', async () => {
    const { server } = await serveProblems({
      '../outside/there': '',
      'shared/extensions/back.ts': '',
      'agents/reader/SYSTEM.md': 'Hi.\n',
      'agents/reader/extensions/back.ts': { link: '/nowhere/at/all/back.ts' },
      'agents/reader/extensions/away.ts': { link: '../../../nowhere/away.ts' },
      'agents/reader/extensions/there.ts': { link: '../../../../outside/there' },
    });
    const { agents } = (await server.call('GET', '/api/links')).body;
    expect(agents.find(({ id }: { id: string }) => id === 'reader').broken).toEqual([
      { kind: 'extensions', name: 'away.ts', repairable: false },
      { kind: 'extensions', name: 'back.ts', repairable: true },
    ]);
    // Others don't learn what a link outside what they see could point to.
    const found = await check({ ...server, call: server.asOperator }, 'reader');
    const broken = ofRule(found, 'link-broken').map(({ file, message }) => [file, /repair/i.test(message)]);
    expect(broken).toEqual([
      ['extensions/away.ts', false],
      ['extensions/back.ts', true],
    ]);
    expect(ofRule(found, 'link-outside').map(({ file }) => file)).toEqual(['extensions/there.ts']);
  });

  test('reads nothing behind a link out of the root, and no linked agent', async () => {
    const { server } = await serveProblems({
      '../outside/pi-args': '--model local/secret\n',
      'agents/scout/pi-args': '',
      'agents/linked': { link: '../../outside' },
      'agents/reader/SYSTEM.md': 'Hi.\n',
      'agents/reader/pi-args': { link: '../../../outside/pi-args' },
      'agents/reader/skills': { link: '../../../outside' },
    });
    expect(JSON.stringify(await check(server, 'reader'))).not.toContain('secret');
    expect((await server.call('GET', '/api/agents/linked/checks')).body.code).toBe('agent_not_found');
  });
});

describe('fixing', () => {
  test('applies chosen fixes and changes nothing else', async () => {
    const { root, server } = await serveProblems();
    const found = await check(server);
    const [, second] = ofRule(found, RULE);
    const answer = await fix(server, second ? [second] : [], found.etags);
    expect(answer.body).toMatchObject({ ok: true, files: [{ file: 'pi-args', fixed: 1 }], notFixed: [] });
    const path = join(root, 'agents/scout/pi-args');
    expect(await readFile(path, 'utf8')).toBe('# Read only\n--model local/qwen\n--tools\nread,bash\n');
    const after = await check(server);
    expect(after.etags['pi-args']).toBe(answer.body.files[0].etag);
    expect(ofRule(after, RULE)).toHaveLength(1);
  });

  test('merges two fixes of one file, and lists what it could not fix', async () => {
    const { root, server } = await serveProblems();
    const found = await check(server);
    const gone = { ...found.findings[0], line: 77 } as Finding;
    const answer = await fix(server, [...ofRule(found, RULE), gone], found.etags);
    expect(answer.body).toMatchObject({ files: [{ fixed: 2 }], notFixed: [{ line: 77 }] });
    expect(await readFile(join(root, 'agents/scout/pi-args'), 'utf8')).toBe(
      '# Read only\n--model\nlocal/qwen\n--tools\nread,bash\n',
    );
  });

  test('writes nothing when a file has changed since the check', async () => {
    const { root, server } = await serveProblems();
    const found = await check(server);
    const path = join(root, 'agents/scout/pi-args');
    await writeFile(path, '--model local/other\n');
    const answer = await fix(server, ofRule(found, RULE), found.etags);
    expect([answer.status, answer.body.code]).toEqual([412, 'file_changed']);
    expect(answer.body.etag).toBe((await check(server)).etags['pi-args']);
    expect(await readFile(path, 'utf8')).toBe('--model local/other\n');
    const none = await fix(server, ofRule(found, RULE), {});
    expect([none.status, none.body.code]).toEqual([400, 'invalid_request']);
  });

  test('never writes through a link', async () => {
    const { root, server } = await serveProblems({
      'agents/scout/pi-args': { link: '../../shared/args' },
      'shared/args': '--model local/qwen\n',
    });
    const found = await check(server);
    const answer = await fix(server, ofRule(found, RULE), found.etags);
    expect([answer.status, answer.body.code]).toEqual([409, 'linked_file']);
    expect(await readFile(join(root, 'shared/args'), 'utf8')).toBe('--model local/qwen\n');
  });
});
