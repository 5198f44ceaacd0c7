import type { AgentPackage } from '../../../shared/api/packages.ts';
import { list, many } from './words.ts';

const NOUNS = {
  extensions: ['extension', 'extensions'],
  skills: ['skill', 'skills'],
  prompts: ['prompt template', 'prompt templates'],
  themes: ['theme', 'themes'],
} as const;

/** Strings for an agent's pi packages. */
export const packages = {
  heading: 'Packages',
  keywords: 'packages npm git install',
  label: (id: string): string => `Packages of ${id}`,
  hint: 'Packages run code with your permissions. Add only those whose authors you trust.',
  add: 'Add package',
  source: 'npm name, git address or path',
  sourceHint: 'Such as npm:@example/pi-tools, git:github.com/example/pi-tools@v1 or ./my-package.',
  which: (source: string): string => `“${source}” can mean two things. Which one do you want?`,
  meaning: { npm: 'npm package', git: 'Repository', path: 'Folder in the agent’s folder' },
  remove: 'Remove',
  removeLabel: (source: string): string => `Remove ${source}`,
  change: 'Change the packages',
  added: (source: string): string => `Added ${source}`,
  removed: (source: string): string => `Removed ${source}`,
  failed: (source: string): string => `${source} wasn’t removed`,
  choose: 'Choose what it loads',
  kinds: { extensions: 'Extensions', skills: 'Skills', prompts: 'Prompt templates', themes: 'Themes' },
  kindOf: (kind: string, source: string): string => `${kind} of ${source}`,
  switchLabel: (path: string): string => `Load ${path}`,
  switched: (path: string, isOn: boolean): string => `Switched ${path} ${isOn ? 'on' : 'off'}`,
  switchFailed: (path: string, isOn: boolean): string => `${path} wasn’t switched ${isOn ? 'on' : 'off'}`,
  changed: 'The package has changed. Try again.',
  noSource: 'An entry without a source',
  /** Describes a package's installed copy. */
  state: ({ place, kind, installed, requested }: AgentPackage): string => {
    if (place === 'outside') return 'Outside the root, so dot-mi doesn’t read it.';
    if (!installed) return kind === 'path' ? 'Not found' : 'Not installed. pi installs it when it starts.';
    const version = installed.version ?? (kind === 'path' ? '' : 'Installed');
    return requested !== null && requested !== installed.version ? `${version} (${requested})` : version;
  },
  /** Describes what a package adds, without filtered resources. */
  adds: ({ adds }: AgentPackage): string => {
    const parts = Object.entries(adds ?? {}).flatMap(([kind, all]) => {
      const count = all.filter(({ isOff }) => !isOff).length;
      const [one, other] = NOUNS[kind as keyof typeof NOUNS];
      return count === 0 ? [] : [many(count, one, other)];
    });
    const off = Object.values(adds ?? {})
      .flat()
      .filter(({ isOff }) => isOff).length;
    const added = parts.length === 0 ? 'Adds nothing' : `Adds ${list.format(parts)}`;
    return off === 0 ? added : `${added}. Filters leave out ${off}.`;
  },
  names: ({ adds }: AgentPackage): string =>
    Object.values(adds ?? {})
      .flat()
      .map(({ name, isOff }) => (isOff ? `${name} (off)` : name))
      .join(', '),
  copyInstall: (source: string): string => `Copy the command that installs ${source}`,
} as const;
