// What the tests ask of the machine: a browser, and the tools that make and look into installers. `npm test` runs this beside the
// checks, which need nothing of it.
import { spawnSync } from 'node:child_process';
import { ensureChromium } from './chromium.ts';
import { installDebianPackages } from './debian.ts';

/** What the tests of the installers and of setup.sh ask, and Debian's package of it. Where it is not to be had they are skipped. */
const TOOLS: Readonly<Record<string, string>> = {
  rpmbuild: 'rpm',
  'desktop-file-validate': 'desktop-file-utils',
  makensis: 'nsis',
  mksquashfs: 'squashfs-tools',
  shellcheck: 'shellcheck',
  unzip: 'unzip',
  zip: 'zip',
};

if (process.platform === 'linux') {
  const missing = Object.entries(TOOLS)
    .filter(([command]) => spawnSync(command, ['-version']).error)
    .map(([, name]) => name);
  if (missing.length > 0) installDebianPackages(...missing);
}
ensureChromium();
