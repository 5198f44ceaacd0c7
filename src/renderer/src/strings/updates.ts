// Separate from the shell's strings, because only the desktop app loads them.

/** Strings about newer versions of the desktop app. */
export const updates = {
  checking: 'Checking for updates…',
  current: (own: string): string => `dot-mi is up to date. You have ${own}.`,
  unsupported: 'This copy of dot-mi can’t update itself.',
  'not-installed': 'Only the installed program can check for updates.',
  available: (version: string, own: string): string => `dot-mi ${version} is available. You have ${own}.`,
  availablePortable: (version: string, own: string): string =>
    `dot-mi ${version} is available. You have ${own}. Download it and replace your program file.`,
  downloading: (version: string): string => `Downloading dot-mi ${version}…`,
  ready: (version: string): string => `dot-mi ${version} is ready. It installs when you quit.`,
  checkFailed: (reason: string): string => `dot-mi couldn’t check for updates. ${reason}`,
  downloadFailed: (version: string, reason: string): string =>
    `dot-mi couldn’t download version ${version}. ${reason} Check your connection and disk space, then choose “Check for Updates…” in the menu.`,
  answers: { download: 'Download', install: 'Quit and install', later: 'Later' },
  close: 'Close',
  failed: 'dot-mi couldn’t handle the update',
} as const;
