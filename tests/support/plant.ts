import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * A test root's content: text is a file, `{ link }` a symlink, `{ script }` an executable, `null` a
 * directory.
 */
export type Tree = Readonly<
  Record<string, string | Uint8Array | { link: string } | { script: string } | null>
>;

/** Writes a tree below a directory. */
export const plant = async (directory: string, tree: Tree): Promise<void> => {
  // Some trees have thousands of directories.
  const made = new Set<string>();
  const make = async (path: string) => {
    if (!made.has(path)) await mkdir(path, { recursive: true });
    made.add(path);
  };
  for (const [path, what] of Object.entries(tree)) {
    const full = join(directory, path);
    await make(what === null ? full : dirname(full));
    if (what === null) continue;
    if (typeof what === 'string' || what instanceof Uint8Array) await writeFile(full, what);
    else if ('link' in what) await symlink(what.link, full);
    else {
      await writeFile(full, what.script);
      await chmod(full, 0o755);
    }
  }
};

/** The smallest possible setup script. It creates the agent as the real ones do. */
export const SMALL_SETUP = `#!/bin/sh
set -eu
[ "$1" = create-agent ] || exit 2
shift
workspace=no
if [ "$1" = --workspace ]; then workspace=yes; shift; fi
dir="$(dirname "$0")/agents/$1"
if [ -e "$dir" ]; then echo "Error: $1 exists" >&2; exit 1; fi
mkdir -p "$dir/extensions" "$dir/skills"
echo "You are $1." > "$dir/SYSTEM.md"
: > "$dir/pi-args"
if [ $workspace = yes ]; then : > "$dir/workspace.conf"; fi
`;

/** A root with one agent, one shared extension and one shared skill. */
export const SMALL_ROOT: Tree = {
  'setup.sh': { script: SMALL_SETUP },
  'agents/scout/SYSTEM.md': 'You are a scout.\n',
  'agents/scout/pi-args': '--thinking\nlow\n',
  'agents/scout/extensions': null,
  'agents/scout/skills': null,
  'shared/extensions/say.ts': 'export default () => {};\n',
  'shared/skills/git-summary/SKILL.md':
    '---\nname: git-summary\ndescription: Summarise a branch.\n---\n\nBody.\n',
};
