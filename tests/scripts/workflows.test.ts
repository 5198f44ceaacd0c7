import { readdirSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import config from '../../electron-builder.config.ts';
import { installerNames } from '../support/package/installer-names.ts';

const directory = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));

interface Step {
  id?: string;
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
}

interface Job {
  'runs-on'?: string;
  strategy?: { matrix: { runner?: string[]; include?: { name: string; runner: string; feed: string }[] } };
  env?: Record<string, string>;
  permissions?: Record<string, string>;
  steps: Step[];
}

describe.each(readdirSync(directory))('the workflow %s', (file) => {
  const workflow: { permissions: unknown; jobs: Record<string, Job> } = parse(
    readFileSync(`${directory}${file}`, 'utf8'),
  );
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  it('pins each action to a commit, which can’t be moved like a tag', () => {
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });

  it('uses no action of a Node that GitHub no longer runs', () => {
    const versions = readFileSync(`${directory}${file}`, 'utf8').matchAll(
      /uses: actions\/([\w-]+)@\w+ # v(\d+)/g,
    );
    // The first version of each on Node 24.
    const first: Record<string, number> = {
      checkout: 5,
      'setup-node': 5,
      'upload-artifact': 6,
      'download-artifact': 7,
    };
    for (const [, action = '', version] of versions)
      expect([action, Number(version) >= (first[action] ?? 0)]).toEqual([action, true]);
  });

  it('has only read permission, and a job that may write runs no code of the project or its dependencies', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const { permissions, steps } of Object.values(workflow.jobs)) {
      if (!permissions) continue;
      expect([{ contents: 'write' }, { 'id-token': 'write', attestations: 'write' }]).toContainEqual(
        permissions,
      );
      expect(
        steps.some(({ run = '', uses = '' }) => /npm|\.ci\//.test(run) || uses.includes('checkout')),
      ).toBe(false);
    }
  });

  it('leaves no token in the checkout, where the build could read it', () => {
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@')))
      expect(step.with?.['persist-credentials']).toBe(false);
  });

  it('puts no text that others write into a script', () => {
    for (const { run = '' } of steps) expect(run).not.toMatch(/\$\{\{/);
  });
});

const workflowOf = (file: string): { jobs: Record<string, Job> } =>
  parse(readFileSync(`${directory}${file}`, 'utf8'));

/** The commands of a job that runs a script of package.json, with the condition of their step. */
const runsOf = (job: Job | undefined, script: string) =>
  (job?.steps ?? []).flatMap(({ run = '', if: condition }) =>
    run
      .split('\n')
      .filter((line) => new RegExp(`npm run ${script}( |$)`).test(line))
      .map((line) => ({ command: line.trim(), condition })),
  );
const LINUX = "runner.os == 'Linux'";
const ELSEWHERE = "runner.os != 'Linux'";

describe('CI', () => {
  const { desktop, test } = workflowOf('ci.yml').jobs;

  it('tests the real Electron and the packed program on each push, on each system', () => {
    expect(desktop?.strategy?.matrix.runner?.map((name) => name.split('-')[0])).toEqual([
      'ubuntu',
      'macos',
      'windows',
    ]);
    expect(runsOf(desktop, 'test:electron')).toEqual([
      { command: 'xvfb-run -a npm run test:electron -- --no-build', condition: LINUX },
      { command: 'npm run test:electron -- --no-build', condition: ELSEWHERE },
    ]);
    expect(runsOf(desktop, 'smoke')).toEqual([
      { command: 'xvfb-run -a npm run smoke -- dist', condition: LINUX },
      { command: 'npm run smoke -- dist', condition: ELSEWHERE },
    ]);
  });

  it('runs every test, and so does the release', () => {
    for (const job of [test, workflowOf('release.yml').jobs.test])
      expect(job?.steps.map(({ run }) => run)).toContain('bash .ci/run');
  });
});

describe('the release', () => {
  const text = readFileSync(`${directory}release.yml`, 'utf8');
  const { jobs } = workflowOf('release.yml');
  const steps = jobs.package?.steps ?? [];
  const stepOf = (run: RegExp) => steps.findIndex((step) => run.test(step.run ?? ''));

  it('passes the certificates only to the step that signs, which doesn’t install, build or test anything', () => {
    const withSecrets = steps.filter((step) => JSON.stringify(step).includes('secrets.'));
    expect(withSecrets.map(({ run = '' }) => run.match(/npm .*/g))).toEqual([
      ['npm run package -- --no-build'],
    ]);
    // In no other job, nor in the environment of a whole one.
    const { env = {} } = withSecrets[0] ?? {};
    expect(text.match(/secrets\./g)).toHaveLength(JSON.stringify(env).match(/secrets\./g)?.length ?? 0);
  });

  it('builds once, and drives that build in the real Electron before it packs it', () => {
    expect(
      steps.filter(({ run = '' }) => /npm run (build|package(?! -- --no-build))/.test(run)),
    ).toHaveLength(1);
    const onLinux = stepOf(/^xvfb-run -a npm run test:electron -- --no-build$/);
    const elsewhere = stepOf(/^npm run test:electron -- --no-build$/);
    expect([steps[onLinux]?.if, steps[elsewhere]?.if]).toEqual([
      "runner.os == 'Linux'",
      "runner.os != 'Linux'",
    ]);
    const order = [stepOf(/^npm run build$/), onLinux, elsewhere, stepOf(/npm run package/)];
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('packs for both architectures on each system, on a machine that can start the result', () => {
    expect(jobs.package?.strategy?.matrix.include?.map(({ name }) => name)).toEqual([
      'linux-x64',
      'linux-arm64',
      'mac',
      'windows-x64',
      'windows-arm64',
    ]);
  });

  it('starts what it packed before it uploads it: as it is, and as the .deb and the setup install it', () => {
    expect(runsOf(jobs.package, 'smoke')).toEqual([
      { command: 'npm run smoke -- dist', condition: ELSEWHERE },
      { command: 'xvfb-run -a npm run smoke -- dist', condition: LINUX },
      { command: 'xvfb-run -a npm run smoke -- /opt/dot-mi', condition: LINUX },
      { command: 'npm run smoke -- $place', condition: "runner.os == 'Windows'" },
    ]);
    const upload = steps.findIndex(({ uses = '' }) => uses.startsWith('actions/upload-artifact@'));
    const smokes = steps.flatMap(({ run = '' }, nth) => (run.includes('npm run smoke') ? [nth] : []));
    expect(smokes.every((nth) => nth > stepOf(/npm run package/) && nth < upload)).toBe(true);
  });

  it.each([
    [/codesign --verify --deep --strict/, "runner.os == 'macOS' && steps.package.outputs.signed == 'yes'"],
    [/spctl --assess/, "runner.os == 'macOS' && steps.package.outputs.notarized == 'yes'"],
    [/stapler validate/, "runner.os == 'macOS' && steps.package.outputs.notarized == 'yes'"],
    [/Get-AuthenticodeSignature/, "runner.os == 'Windows' && steps.package.outputs.signed == 'yes'"],
    [/::warning::.*not signed/, "runner.os != 'Linux' && steps.package.outputs.signed != 'yes'"],
  ])('checks signatures if there are certificates, and says if there are none: %s', (run, condition) => {
    expect(steps.find(({ id }) => id === 'package')?.run).toContain('npm run package');
    expect(steps[stepOf(run)]?.if).toBe(condition);
  });

  it('fails before it uploads anything if the feed that installed programs ask for is missing', () => {
    const nth = stepOf(/test -f "dist\/\$FEED"/);
    expect(nth).toBeGreaterThan(stepOf(/npm run package/));
    expect(nth).toBeLessThan(steps.findIndex(({ uses = '' }) => uses.startsWith('actions/upload-artifact@')));
    expect(jobs.package?.strategy?.matrix.include?.map(({ feed }) => feed)).toEqual([
      'latest-linux.yml',
      'latest-linux-arm64.yml',
      'latest-mac.yml',
      'latest.yml',
      'latest-arm64.yml',
    ]);
  });

  it('installs the libraries of Electron, which the arm64 machine may lack', () => {
    expect(steps[stepOf(/apt-get install/)]?.run).toMatch(/libgtk-3-0t64 libnss3/);
  });

  it('attests the provenance of its files', () => {
    expect(jobs.provenance?.steps.at(-1)?.with).toEqual({ 'subject-path': 'files/*' });
  });

  const installers = installerNames('1.2.3');
  const upload = steps.find(({ uses = '' }) => uses.startsWith('actions/upload-artifact@'))?.with;
  const globs = String(upload?.path).trim().split(/\s+/);

  it('uploads every file that the packager creates, each under its own name, and expects no other', () => {
    expect(installers).toEqual([
      'dot-mi-1.2.3-linux-x86_64.AppImage',
      'dot-mi-1.2.3-linux-arm64.AppImage',
      'dot-mi-1.2.3-linux-amd64.deb',
      'dot-mi-1.2.3-linux-arm64.deb',
      'dot-mi-1.2.3-linux-x86_64.rpm',
      'dot-mi-1.2.3-linux-aarch64.rpm',
      'dot-mi-1.2.3-mac-arm64.dmg',
      'dot-mi-1.2.3-mac-x64.dmg',
      'dot-mi-1.2.3-mac-arm64.zip',
      'dot-mi-1.2.3-mac-x64.zip',
      'dot-mi-1.2.3-win-x64-setup.exe',
      'dot-mi-1.2.3-win-arm64-setup.exe',
      'dot-mi-1.2.3-win-x64-portable.exe',
      'dot-mi-1.2.3-win-arm64-portable.exe',
    ]);
    // What electron-updater asks for: the feed of each kind of machine, and the map of a file's blocks.
    const feeds = ['', '-arm64', '-mac', '-linux', '-linux-arm64'].map((kind) => `latest${kind}.yml`);
    const files = [...installers, ...installers.map((name) => `${name}.blockmap`), ...feeds];
    const isTaken = (name: string, glob: string) =>
      matchesGlob(`${config.directories?.output}/${name}`, glob);
    expect(files.filter((name) => !globs.some((glob) => isTaken(name, glob)))).toEqual([]);
    expect(globs.filter((glob) => !files.some((name) => isTaken(name, glob)))).toEqual([]);
    expect(upload?.['if-no-files-found']).toBe('error');
  });
});
