/** Strings for forms over an agent's JSON files. */
export const jsonForm = {
  answers: { unset: 'Default', yes: 'Yes', no: 'No' } as Readonly<Record<string, string>>,
  conflict: (file: string): string => `Another program changed ${file}. Your change touches only this entry.`,
  conflictInList: (file: string): string =>
    `Another program changed ${file}. Close this and edit the entry again.`,
  filled: (leftOut: readonly string[]): string =>
    leftOut.length === 0 ? 'Filled in the form.' : `Filled in the form, without ${leftOut.join(', ')}.`,
  words: ([program = '', ...args]: readonly string[]): string =>
    `Starts “${program}” with ${args.length === 1 ? 'the argument' : 'the arguments'} ${args.map((arg) => `“${arg}”`).join(', ')}. Put a path with spaces in quotes.`,
  save: 'Save',
  saveAnyway: 'Save anyway',
  saving: 'Saving…',
  /** Names a change in the history. Names can be long there. */
  change: (name: string): string => `Change ${name.slice(0, 100)}`,
  added: (name: string): string => `Added ${name}`,
  changed: (name: string): string => `Changed ${name}`,
} as const;
