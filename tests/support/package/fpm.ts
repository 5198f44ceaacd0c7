// A stand-in for fpm, which electron-builder fetches from its release page: takes the arguments that electron-builder
// passes, and makes the .deb with Debian's own dpkg-deb. What is in it (files, desktop entry, scripts, fields) is
// electron-builder's.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';

const text = { type: 'string' } as const;
// Strict: an argument that is not here fails, as it would not be in the package.
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
  },
});

const required = (name: Exclude<keyof typeof values, 'force' | 'd' | 'deb-recommends'>): string => {
  const value = values[name];
  if (!value) throw new Error(`fpm stand-in: --${name} is missing`);
  return value;
};

if (values.s !== 'dir' || values.t !== 'deb')
  throw new Error(`fpm stand-in: makes deb from dir only, not ${values.t} from ${values.s}`);

const staging = mkdtempSync(join(tmpdir(), 'fpm-stand-in-'));
chmodSync(staging, 0o755);
try {
  for (const mapping of positionals) {
    const [from = '', to = ''] = mapping.split('=');
    const target = join(staging, to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(from, target, { recursive: true, verbatimSymlinks: true });
  }
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
  // gzip: the real one takes xz, and many times as long.
  const { status } = spawnSync(
    'dpkg-deb',
    ['--root-owner-group', '-Zgzip', '-z1', '--build', staging, required('package')],
    {
      stdio: 'inherit',
    },
  );
  process.exitCode = status ?? 1;
} finally {
  rmSync(staging, { recursive: true, force: true });
}
