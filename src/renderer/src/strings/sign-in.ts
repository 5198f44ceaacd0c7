/** Strings for a page whose address ended with an earlier start of dot-mi. */
export const restarted = {
  text: 'dot-mi has restarted. Open the new link that it printed in its terminal.',
  withText:
    'dot-mi has restarted. Open the new link that it printed in its terminal. Your saved drafts are there too. To be sure, copy or download the text of this tab first.',
  copy: 'Copy unsaved text',
  copied: 'Copied the unsaved text',
  notCopied: 'The unsaved text wasn’t copied. Download it instead.',
  download: 'Download it',
} as const;

/** Strings for signing in. */
export const signInWords = {
  title: 'Sign in to this dot-mi',
  description: 'Open the link dot-mi printed in your terminal (it ends in #token=…), or paste it here.',
  field: 'Link or token',
  keep: 'Keep me signed in',
  keepHint: 'For 7 days. Don’t choose this if other people, or programs you don’t trust, use this computer.',
  submit: 'Sign in',
  open: 'Sign in…',
  submitting: 'Signing in…',
  wrong: 'This link or token isn’t valid. Copy the newest link dot-mi printed. Older ones stop working.',
  failed: 'You’re not signed in',
  keepFailed: 'You’re signed in, but this browser won’t stay signed in',
  unproven:
    'The program at this address can’t prove that it’s the dot-mi you signed in to. You’re signed out for now.',
  vouch: 'It’s the same. Sign me in',

  section: 'Signed-in browsers',
  sectionHint: 'They sign in automatically for 7 days.',
  keepHere: 'Keep this browser signed in',
  keepElsewhere: (address: string): string =>
    `This page’s address changes each time dot-mi starts. To stay signed in for 7 days, sign in at ${address}.`,
  kept: 'This browser stays signed in',
  ended: (name: string): string => `${name} is signed out`,
  here: 'this browser',
  lastUsed: (when: string): string => `last used ${when}`,
  neverUsed: 'not used yet',
  end: 'Sign out',
  endLabel: (name: string): string => `Sign out ${name}`,
  endFailed: 'The browser wasn’t signed out',
  operatorToken: 'Operator token',
  operatorTokenHint: 'Renew it if someone else may have read it.',
  signOut: 'Sign out',
  signedOut: 'Signed out',
  renew: 'Renew operator token…',
  renewQuestion: 'Renew the operator token?',
  renewDescription:
    'Scripts with the old token stop working until they read the new one. Browsers stay signed in.',
  renewConfirm: 'Renew token',
  cancel: 'Cancel',
  renewed: 'The operator token was renewed',
  renewFailed: 'The operator token wasn’t renewed',
  browserName: (browser: string, system: string): string => `${browser} on ${system}`,
  someBrowser: 'Browser',
  someSystem: 'this computer',
} as const;
