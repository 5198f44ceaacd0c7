import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { switchPart } from '../../../src/pi/package-filters.ts';
import type { AgentPackages } from '../../../src/shared/api/packages.ts';
import { packageEditor } from '../../support/packages.ts';
import { plant } from '../../support/plant.ts';
import { startModel } from '../../support/real-pi.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSharedDirectory, makeTempDirectory } from '../../support/temp.ts';

// A real pi lists the packages that the API added, finds them where we say, and loads what we say.

const run = promisify(execFile);
const PI = '@earendil-works/pi-coding-agent@1.6.0';

let directory: string | undefined;
let reason = '';

beforeAll(async () => {
  const shared = await makeSharedDirectory();
  try {
    await run('npm', ['pack', '--silent', PI], { cwd: shared.directory });
    const [archive = ''] = (await readdir(shared.directory)).filter((name) => name.endsWith('.tgz'));
    await run('tar', ['-xzf', archive], { cwd: shared.directory });
    directory = join(shared.directory, 'package');
  } catch (error) {
    reason = `npm can't get ${PI}: ${(error as Error).message.split('\n')[0]}`;
  }
  return shared.remove;
});

const SOURCES = [
  'npm:@me/tools@1.0.0',
  'npm:plain',
  'git:github.com/u/r@v1',
  './pkg',
  'https://gitlab.com/g/sub/p',
  'https://www.github.com/u/web/tree/main',
  'git:git@github.com:u/scp@v2',
  'git:https://github.com/u/prefixed#v3',
  'https://git.example.com/a/b.git@v2',
  'ssh://git@git.example.com:2222/team/repo',
  'git:git://git.example.com/plain/protocol',
  'git://git.example.com/no/prefix',
] as const;

test('pi lists the packages that the API added, each where the API says', async (context) => {
  if (directory === undefined) return context.skip(reason);
  const rootPath = await makeRoot();
  const home = await makeTempDirectory();
  const agent = join(rootPath, 'agents/scout');
  const { bin } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const pi = join(directory, bin.pi);
  const server = await serve(rootPath);
  const { asOperator: call } = server;
  const { add, filter, remove } = packageEditor(server);

  const listed = async (): Promise<string[]> => {
    const { stdout } = await run(process.execPath, [pi, 'list'], {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        PI_CODING_AGENT_DIR: agent,
        PI_OFFLINE: '1',
        PI_TELEMETRY: '0',
      },
    });
    return stdout.split('\n').filter((line) => line.startsWith('  '));
  };
  const list = async (): Promise<AgentPackages> => (await call('GET', '/api/agents/scout/packages')).body;

  for (const source of SOURCES) {
    const { code, error } = await add(source);
    // pi takes a git:// address for a path, unless "git:" is in front.
    if (source.startsWith('git://')) expect(code).toBe('package_refused');
    else expect([source, error]).toEqual([source, undefined]);
  }
  await filter(SOURCES.indexOf('npm:plain'), { skills: [] });
  const { packages } = await list();
  for (const { directory: place } of packages) await mkdir(join(rootPath, place ?? ''), { recursive: true });
  expect(await listed()).toEqual(
    packages.flatMap(({ source, filters, directory: place }) => [
      `  ${source}${Object.keys(filters).length > 0 ? ' (filtered)' : ''}`,
      `    ${join(rootPath, place ?? '')}`,
    ]),
  );

  await remove(SOURCES.indexOf('./pkg'));
  expect(await listed()).not.toContain('  ./pkg');
});

/** What pi's own package manager loads of an agent's packages. The module is only in its unbundled build. */
const RESOLVE = `
const [module, agentDir] = process.argv.slice(1);
const { DefaultPackageManager } = await import(module);
const { readFileSync } = await import('node:fs');
const settings = JSON.parse(readFileSync(agentDir + '/settings.json', 'utf8'));
const manager = new DefaultPackageManager({ cwd: agentDir, agentDir, settingsManager: {
  getGlobalSettings: () => settings, getProjectSettings: () => ({}), getNpmCommand: () => undefined, isProjectTrusted: () => false,
} });
const found = await manager.resolve();
const list = Object.entries(found).flatMap(([kind, all]) => kind === 'installFailures' ? [] : all
  .filter(({ metadata }) => metadata.origin === 'package')
  .map(({ path, enabled, metadata }) => [metadata.source, kind, path, enabled]));
console.log(JSON.stringify(list));
`;

test('pi loads of each package what the API says', async (context) => {
  if (directory === undefined) return context.skip(reason);
  try {
    await run('npm', ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: directory,
    });
  } catch (error) {
    return context.skip(`npm can't install what ${PI} needs: ${(error as Error).message.split('\n')[0]}`);
  }
  const packages = [
    { source: 'npm:all', extensions: ['extensions/*.ts', '!extensions/old.ts'], skills: ['!b'], themes: [] },
    'npm:listed',
    { source: 'npm:objects' },
    { source: 'npm:delta', autoload: false, prompts: ['prompts/*', '-prompts/no.md'], skills: ['+packs/a'] },
    'npm:no-version',
    './one.ts',
    './bare',
    './root-skill',
  ];
  const rootPath = await makeRoot({ 'agents/scout/settings.json': JSON.stringify({ packages }) });
  const agent = join(rootPath, 'agents/scout');
  const inPackage = (name: string, tree: Record<string, string>) =>
    plant(join(agent, 'npm/node_modules', name), { 'package.json': '{"version":"1.0.0"}', ...tree });
  const manifest = JSON.stringify({
    version: '1.0.0',
    pi: {
      extensions: ['src/main.ts', 'src/gone.ts'],
      skills: ['packs/*', '!packs/c'],
      prompts: ['p/**/*.md'],
    },
  });
  const files = {
    'src/main.ts': '',
    'packs/a/SKILL.md': '',
    'packs/b/SKILL.md': '',
    'packs/c/SKILL.md': '',
    'p/x/y.md': '',
    'p/z.md': '',
    'prompts/yes.md': '',
    'prompts/no.md': '',
    'themes/t.json': '{}',
  };
  await inPackage('all', {
    'extensions/new.ts': '',
    'extensions/old.ts': '',
    'extensions/note.txt': '',
    'extensions/dir/index.js': '',
    'extensions/own/package.json': '{"pi":{"extensions":["./a.ts","./b.ts"]}}',
    'extensions/own/a.ts': '',
    'extensions/node_modules/x.ts': '',
    'skills/.gitignore': 'hidden/\n',
    'skills/hidden/SKILL.md': '',
    'skills/a/SKILL.md': '',
    'skills/group/b/SKILL.md': '',
    'skills/loose.md': '',
    'skills/group/not-loose.md': '',
    'prompts/deep/p.md': '',
    'themes/t.json': '{}',
  });
  await inPackage('listed', { 'package.json': manifest, ...files });
  await inPackage('objects', { 'package.json': manifest, ...files });
  await inPackage('delta', { 'package.json': '{"version":"1.0.0","pi":{"skills":["packs"]}}', ...files });
  await inPackage('no-version', { 'package.json': '{}', ...files });
  await plant(agent, {
    'one.ts': '',
    'bare/index.ts': '',
    'root-skill/package.json': '{"pi":{"skills":["."]}}',
    'root-skill/SKILL.md': '',
  });

  const { stdout } = await run(
    process.execPath,
    ['--input-type=module', '-e', RESOLVE, join(directory, 'dist/core/package-manager.js'), agent],
    { env: { PATH: process.env.PATH, HOME: agent, PI_OFFLINE: '1' } },
  );
  const real = (JSON.parse(stdout) as [string, string, string, boolean][]).map(
    ([source, kind, path, enabled]) => `${source} ${kind} ${path.slice(agent.length + 1)} ${enabled}`,
  );

  const { asOperator: call } = await serve(rootPath);
  const { packages: ours } = (await call('GET', '/api/agents/scout/packages')).body as AgentPackages;
  const told = ours.flatMap(({ source, directory: place, adds }) =>
    Object.entries(adds ?? {}).flatMap(([kind, all]) =>
      all.flatMap(({ path, isOff }) => {
        const top = (place ?? '').slice('agents/scout/'.length);
        const whole = path === '.' || top.endsWith('.ts') ? top : `${top}/${path}`;
        const isInDirectory = kind === 'skills' && !path.endsWith('.md');
        return [`${source} ${kind} ${isInDirectory ? `${whole}/SKILL.md` : whole} ${isOff !== true}`];
      }),
    ),
  );
  // What `autoload: false` doesn't name isn't there for pi, and is off for us.
  const isUnnamed = (line: string) =>
    line.startsWith('npm:delta') && line.endsWith('false') && !real.includes(line);
  expect(told.filter((line) => !isUnnamed(line)).sort()).toEqual(real.sort());
  expect(real.length).toBeGreaterThanOrEqual(25);
});

test('pi sends the prompt that is predicted, with what packages bring, after each change by the API', async (context) => {
  if (directory === undefined) return context.skip(reason);
  const model = await startModel(['Done.']);
  const home = await makeTempDirectory();
  const cwd = await makeTempDirectory();
  const skill = (name: string, more = '') =>
    `---\nname: ${name}\ndescription: Does ${name} & more.\n${more}---\n`;
  const provider = {
    baseUrl: model.url,
    api: 'openai-completions',
    apiKey: 'none',
    models: [{ id: 'small' }],
  };
  const npm = 'agents/scout/npm/node_modules';
  const rootPath = await makeRoot({
    'agents/scout/SYSTEM.md': 'You are a scout.\n',
    'agents/scout/skills/own/SKILL.md': skill('own'),
    'agents/scout/settings.json':
      '{"defaultProvider":"loopback","defaultModel":"small","skills":["-skills/b"]}',
    'agents/scout/models.json': JSON.stringify({ providers: { loopback: provider } }),
    [`${npm}/@me/tools/package.json`]: '{"version":"1.0.0","pi":{"skills":["packs/*"]}}',
    [`${npm}/@me/tools/packs/own/SKILL.md`]: skill('own'),
    [`${npm}/@me/tools/packs/b/SKILL.md`]: skill('b'),
    [`${npm}/@me/tools/packs/a/SKILL.md`]: skill('a'),
    [`${npm}/@me/tools/packs/quiet/SKILL.md`]: skill('quiet', 'disable-model-invocation: true\n'),
    'shared/pack/skills/a/SKILL.md': skill('a'),
    'shared/pack/skills/c/SKILL.md': skill('c'),
  });
  const agent = join(rootPath, 'agents/scout');
  const { bin } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  const server = await serve(rootPath, { environment: { HOME: home } });
  const { asOperator: call, operatorToken } = server;
  const { add, edit, filter, remove } = packageEditor(server);

  const sent = async (): Promise<string> => {
    const running = run(process.execPath, [join(directory ?? '', bin.pi), '-p', 'Hello'], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        PI_CODING_AGENT_DIR: agent,
        PI_OFFLINE: '1',
        PI_TELEMETRY: '0',
      },
    });
    // pi waits for the end of its input.
    running.child.stdin?.end();
    await running;
    const messages: { role: string; content: string }[] = JSON.parse(model.prompts.at(-1) ?? '[]');
    return messages.find(({ role }) => role === 'system' || role === 'developer')?.content ?? '';
  };
  const predicted = async () => {
    const query = new URLSearchParams({ cwd, piVersion: '1.6' });
    const headers = { Authorization: `Bearer ${operatorToken}` };
    return (await call('GET', `/api/agents/scout/prompt?${query}`, undefined, headers)).body;
  };
  const namesIn = (text: string) => Array.from(text.matchAll(/<name>(.*)<\/name>/g), ([, name]) => name);

  const tools = 'npm:@me/tools';
  const steps = [
    { step: () => add(tools), names: ['own', 'a', 'b'] },
    { step: () => add('../../shared/pack'), names: ['own', 'a', 'b', 'c'] },
    { step: () => filter(0, { skills: ['!packs/b'] }), names: ['own', 'a', 'c'] },
    { step: () => filter(0, { skills: ['-packs/a'] }), names: ['own', 'b', 'a', 'c'] },
    {
      step: () =>
        edit([
          { path: ['packages', 0, 'autoload'], value: false },
          { path: ['packages', 0, 'skills'], value: ['packs/b'] },
        ]),
      names: ['own', 'b', 'a', 'c'],
    },
    { step: () => remove(0), names: ['own', 'a', 'c'] },
  ];
  for (const { step, names } of steps) {
    expect((await step()).error).toBe(undefined);
    const text = await sent();
    expect(namesIn(text).sort()).toEqual([...names].sort());
    expect(await predicted()).toMatchObject({ complete: true, notes: [], text });
  }

  // As the switches of the window do it.
  await remove(0);
  await add(tools);
  for (const [path, isOn] of [
    ['packs/b', false],
    ['packs/a', false],
    ['packs/b', true],
    ['packs/a', true],
  ] as const) {
    const { packages }: AgentPackages = (await call('GET', '/api/agents/scout/packages')).body;
    const entry = packages.find((one) => one.source === tools);
    const part = entry?.adds?.skills.find((one) => one.path === path);
    if (!entry || !part) throw new Error(`${path} is not listed`);
    const filtered = await filter(entry.index, switchPart(entry, 'skills', part, isOn));
    expect(filtered.error).toBe(undefined);
    const text = await sent();
    expect(text.includes(`/${path}/SKILL.md`)).toBe(isOn);
    expect(await predicted()).toMatchObject({ complete: true, text });
  }
  expect(JSON.parse(await readFile(join(agent, 'settings.json'), 'utf8')).packages).toContain(tools);
});
