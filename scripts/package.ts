// `npm run package`: builds, gathers the licences, and packs installers for this system into dist/. Everything after `--`
// goes to electron-builder (`--dir` packs a folder only); `--no-build` takes what is in out/.
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
// Publishing is the release workflow's.
const own = ['--config', 'electron-builder.config.ts', '--publish', 'never'];
const { status } = spawnSync(process.execPath, [cli, ...own, ...args.filter((arg) => arg !== NO_BUILD)], {
  cwd: root,
  stdio: 'inherit',
  // Else it asks the registry whether there is a newer electron-builder.
  env: { ...process.env, NO_UPDATE_NOTIFIER: '1' },
});
process.exit(status ?? 1);
