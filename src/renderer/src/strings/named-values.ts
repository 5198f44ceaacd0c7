/** Strings for lists of arguments, environment variables and headers in a form. */
export const namedValues = {
  args: 'Arguments',
  env: 'Environment variables',
  headers: 'Headers',
  addRow: { args: 'Add argument', env: 'Add variable', headers: 'Add header' },
  rowName: (group: 'env' | 'headers', index: number): string =>
    `Name of ${group === 'env' ? 'variable' : 'header'} ${index + 1}`,
  rowValue: (group: 'args' | 'env' | 'headers', name: string, index: number): string =>
    group === 'args' ? `Argument ${index + 1}` : name === '' ? `Value ${index + 1}` : `Value of ${name}`,
  removeRow: (label: string): string => `Remove ${label}`,
  kept: 'Hidden. Type to replace it',
  keptCommand: 'A hidden command. Type to replace it',
  duplicate: 'Two rows have this name.',
  nameMissing: 'Enter a name.',
  use: (text: string): string => `Use ${text}`,
  literal: (file: string): string =>
    `${file} stores this in plain text. If it’s a secret, use a variable that you set before you start pi.`,
  moved: (file: string): string => `Saving removes the text from ${file}. Copy it into the variable first.`,
} as const;
