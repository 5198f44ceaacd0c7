// Installs what the tests need: a browser, and on Linux with `--all` also the tools of the slow tests and of those of the packages.
import { spawnSync } from 'node:child_process';
import { ensureChromium } from './chromium.ts';
import { installDebianPackages } from './debian.ts';

/**
 * Commands that the tests of packages, setup.sh, run commands, the login item and slow disks need, and their Debian packages.
 * Those tests skip without them.
 */
const TOOLS: Readonly<Record<string, string>> = {
  // Unlike gcc, it brings the headers of the C library.
  cc: 'g++',
  rpmbuild: 'rpm',
  'desktop-file-validate': 'desktop-file-utils',
  makensis: 'nsis',
  mksquashfs: 'squashfs-tools',
  shellcheck: 'shellcheck',
  unzip: 'unzip',
  zip: 'zip',
  zsh: 'zsh',
};

if (process.argv.includes('--all') && process.platform === 'linux') {
  const missing = Object.entries(TOOLS)
    .filter(([command]) => spawnSync(command, ['-version']).error)
    .map(([, name]) => name);
  if (missing.length > 0) {
    const names = missing.join(', ');
    console.log(`Installing ${names}. This takes about a minute.`);
    if (!installDebianPackages(...missing))
      console.log(`dot-mi could not install ${names}. Tests that need one of them are skipped.`);
  }
}
ensureChromium();
