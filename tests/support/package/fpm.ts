// A stand-in for fpm, which electron-builder fetches from its release page. It accepts electron-builder's
// arguments, and builds the .deb with Debian's own dpkg-deb and the .rpm with rpmbuild. Their contents
// (files, desktop entry, scripts, fields) are electron-builder's.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const text = { type: 'string' } as const;
// Strict: an unknown argument fails, because it would be missing from the package.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    s: { ...text, short: 's' },
    t: { ...text, short: 't' },
    d: { ...text, short: 'd', multiple: true },
    force: { type: 'boolean' },
    architecture: text,
    'after-install': text,
    'after-remove': text,
    description: text,
    version: text,
    package: text,
    name: text,
    maintainer: text,
    vendor: text,
    url: text,
    license: text,
    'deb-priority': text,
    'deb-compression': text,
    'deb-recommends': { ...text, multiple: true },
    'rpm-os': text,
    'rpm-compression': text,
    'rpm-summary': text,
  },
});

const required = (name: Exclude<keyof typeof values, 'force' | 'd' | 'deb-recommends'>): string => {
  const value = values[name];
  if (!value) throw new Error(`fpm stand-in: --${name} is missing`);
  return value;
};

/** Copies the files to their installed places under `staging`. */
const stage = (staging: string): string[] =>
  positionals.map((mapping) => {
    const [from = '', to = ''] = mapping.split('=');
    const target = join(staging, to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(from, target, { recursive: true, verbatimSymlinks: true });
    return to;
  });

/** Runs a packager. The real fpm compresses with xz, which takes many times as long. */
const run = (command: string, args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
};

const makeDeb = (staging: string) => {
  stage(staging);
  const control = join(staging, 'DEBIAN');
  mkdirSync(control);
  for (const [script, option] of [
    ['postinst', 'after-install'],
    ['postrm', 'after-remove'],
  ] as const) {
    copyFileSync(required(option), join(control, script));
    chmodSync(join(control, script), 0o755);
  }
  writeFileSync(
    join(control, 'control'),
    [
      `Package: ${required('name')}`,
      `Version: ${required('version')}`,
      `Architecture: ${required('architecture')}`,
      `Maintainer: ${required('maintainer')}`,
      `Homepage: ${required('url')}`,
      `Priority: ${required('deb-priority')}`,
      `Depends: ${(values.d ?? []).join(', ')}`,
      `Recommends: ${(values['deb-recommends'] ?? []).join(', ')}`,
      `Description: ${required('description')}`,
      '',
    ].join('\n'),
  );
  run('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', staging, required('package')]);
};

/** Escapes the percent sign, which begins a macro of rpm. */
const plain = (value: string): string => value.replaceAll('%', '%%');

const makeRpm = (directory: string) => {
  const staging = join(directory, 'staging');
  mkdirSync(staging);
  const files = stage(staging);
  const spec = join(directory, 'package.spec');
  writeFileSync(
    spec,
    [
      `Name: ${required('name')}`,
      `Version: ${required('version')}`,
      'Release: 1',
      `Summary: ${plain(required('rpm-summary'))}`,
      `License: ${required('license')}`,
      `URL: ${required('url')}`,
      `Vendor: ${required('vendor')}`,
      `Packager: ${required('maintainer')}`,
      ...(values.d ?? []).map((dependency) => `Requires: ${dependency}`),
      // Like fpm: only the given dependencies count, and nothing is inspected or stripped.
      'AutoReqProv: no',
      `%description\n${plain(required('description'))}`,
      `%install\ncp -a "${staging}/." "%{buildroot}/"`,
      `%post\n${plain(readFileSync(required('after-install'), 'utf8'))}`,
      `%postun\n${plain(readFileSync(required('after-remove'), 'utf8'))}`,
      '%files\n%defattr(-,root,root,-)',
      ...files.map((path) => `"${path}"`),
      '',
    ].join('\n'),
  );
  const macros = {
    _topdir: directory,
    _rpmdir: dirname(required('package')),
    _rpmfilename: required('package').slice(dirname(required('package')).length + 1),
    _binary_payload: 'w1.gzdio',
    __os_install_post: '%{nil}',
    _build_id_links: 'none',
    debug_package: '%{nil}',
  };
  const defines = Object.entries(macros).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  const target = `${required('architecture') === 'amd64' ? 'x86_64' : required('architecture')}-${required('rpm-os')}`;
  run('rpmbuild', ['-bb', '--target', target, ...defines, spec]);
};

const KINDS: Readonly<Record<string, (directory: string) => void>> = { deb: makeDeb, rpm: makeRpm };
const make = KINDS[values.t ?? ''];
if (values.s !== 'dir' || !make)
  throw new Error(`fpm stand-in: makes deb and rpm from dir only, not ${values.t} from ${values.s}`);

const directory = mkdtempSync(join(tmpdir(), 'fpm-stand-in-'));
chmodSync(directory, 0o755);
try {
  make(directory);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
