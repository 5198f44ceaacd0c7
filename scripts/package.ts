// `npm run package`: builds, collects the licenses, and packs installers for this system into dist/.
// Arguments after `--` go to electron-builder (`--dir` packs only a folder). `--no-build` uses out/ as it is.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { build, NO_BUILD } from './build.ts';
import { writeThirdPartyNotices } from './third-party.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const cli = fileURLToPath(new URL('../node_modules/electron-builder/cli.js', import.meta.url));

const args = process.argv.slice(2);
if (!args.includes(NO_BUILD) && !build()) process.exit(1);
const count = writeThirdPartyNotices();
console.log(`Collected the licenses of ${count} bundled packages.`);
// Only the release workflow publishes.
const own = ['--config', 'electron-builder.config.ts', '--publish', 'never'];
const { status } = spawnSync(process.execPath, [cli, ...own, ...args.filter((arg) => arg !== NO_BUILD)], {
  cwd: root,
  stdio: 'inherit',
  // Otherwise electron-builder asks the registry for a newer version of itself.
  env: { ...process.env, NO_UPDATE_NOTIFIER: '1' },
});
process.exit(status ?? 1);
