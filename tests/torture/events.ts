/** Something that happens between two lives of the server, or during the next one. */
export type TortureEvent =
  | 'copy'
  | 'rollback'
  | 'second'
  | 'expiry'
  | 'jump'
  | 'rate-limit'
  | 'lag'
  | 'release'
  | 'rescan'
  | 'nothing';

/** The events of one round, one for each life. */
const DECK: readonly TortureEvent[] = [
  'copy',
  'copy',
  'rollback',
  'rollback',
  'second',
  'expiry',
  'jump',
  'rate-limit',
  'rate-limit',
  'lag',
  'release',
  'rescan',
  'nothing',
  'nothing',
  'nothing',
];

/** Draws events in a random order, so that none is missing for long. */
export const createDeck = (random: () => number): (() => TortureEvent) => {
  let deck: TortureEvent[] = [];
  return () => {
    if (deck.length === 0) deck = [...DECK];
    const [event] = deck.splice(Math.floor(random() * deck.length), 1);
    return event ?? 'nothing';
  };
};
