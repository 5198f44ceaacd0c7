/** Joins names in a sentence. */
export const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** Numbers with separators, for sentences. */
export const number = new Intl.NumberFormat('en');

/** A count and its noun. */
export const many = (count: number, one: string, other: string): string =>
  `${number.format(count)} ${count === 1 ? one : other}`;
