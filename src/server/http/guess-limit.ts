import type { Clock } from '../platform/clock.ts';

/** How many wrong tokens in {@link WINDOW_MS} start the limit. */
const FREE_GUESSES = 20;
const WINDOW_MS = 60_000;
const SLOT_MS = 1_000;
/** How many requests wait for a comparison, and so also the longest wait, in seconds. */
const MOST_WAITING = 10;

/** A request whose token may be a guess. */
interface Guess {
  /** The address that sent it. */
  client: string;
  /** Compares the token. */
  isRight(): boolean;
  /** Called once with the result, or with false if the token wasn't compared. */
  done(isRight: boolean): void;
}

/** Limits how often a secret is compared. */
export interface GuessLimit {
  /** Compares now, later or never. Returns a function that gives up the place of a request whose client left. */
  compare(guess: Guess): () => void;
}

/**
 * Creates a {@link GuessLimit}. After 20 wrong tokens in a minute, it compares one each second, until a minute has fewer.
 *
 * SECURITY: delaying only the wrong answers doesn't slow down a guesser who hangs up, so the comparisons are rare, also
 * of right tokens. Addresses take turns, so that a guesser at one address doesn't lock out the owner of the token at
 * another one.
 */
export const createGuessLimit = (clock: Clock): GuessLimit => {
  let wrongAt: number[] = [];
  let isResting = false;
  /** The waiting guesses by address. The first address is the next one. */
  const waiting = new Map<string, Guess[]>();

  const count = () => [...waiting.values()].reduce((sum, { length }) => sum + length, 0);

  const isLimited = (): boolean => {
    const now = clock.now();
    wrongAt = wrongAt.filter((at) => at <= now && now - at < WINDOW_MS);
    return wrongAt.length >= FREE_GUESSES;
  };

  const run = ({ isRight, done }: Guess) => {
    const right = isRight();
    if (!right) wrongAt.push(clock.now());
    done(right);
  };

  const remove = (guess: Guess): boolean => {
    const line = waiting.get(guess.client);
    const at = line?.indexOf(guess) ?? -1;
    if (!line || at < 0) return false;
    line.splice(at, 1);
    if (line.length === 0) waiting.delete(guess.client);
    return true;
  };

  const takeSlot = (guess: Guess) => {
    isResting = true;
    clock.after(SLOT_MS, () => {
      isResting = false;
      const [line] = waiting.values();
      const next = line?.[0];
      if (!line || !next) return;
      remove(next);
      // Its address goes to the end of the turns.
      if (waiting.delete(next.client)) waiting.set(next.client, line);
      takeSlot(next);
    });
    run(guess);
  };

  /** Makes room for an address that isn't waiting yet. Returns whether there is room. */
  const makeRoomFor = ({ client }: Guess): boolean => {
    if (count() < MOST_WAITING) return true;
    if (waiting.has(client)) return false;
    const longest = [...waiting.values()].reduce((a, b) => (b.length > a.length ? b : a));
    const last = longest.at(-1);
    if (longest.length < 2 || !last) return false;
    remove(last);
    last.done(false);
    return true;
  };

  return {
    compare(guess) {
      if (!isLimited()) run(guess);
      else if (!isResting) takeSlot(guess);
      else if (!makeRoomFor(guess)) guess.done(false);
      else waiting.set(guess.client, [...(waiting.get(guess.client) ?? []), guess]);
      return () => void remove(guess);
    },
  };
};
