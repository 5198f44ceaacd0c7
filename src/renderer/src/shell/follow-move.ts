const LOOK_EVERY_MS = 300;
/** So often nothing must answer here before the server counts as moved. */
const GONE_AFTER = 3;
/** So often it may answer here before it counts as one that stays: a way back may be too quick to be seen. */
const STAYS_AFTER = 30;

/** What {@link followMove} needs, and whom it tells. */
export interface MoveOptions {
  readonly answersHere: () => Promise<boolean>;
  /** Nothing answers here any more: once. */
  readonly onGone: () => void;
  /** The server is here, again or still. Nothing is looked at after that. */
  readonly onStayed: () => void;
}

/** Looks whether a server that is to move has done so, until it has stayed or what is answered is called. */
export const followMove = ({ answersHere, onGone, onStayed }: MoveOptions): (() => void) => {
  let answers = 0;
  let silences = 0;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout>;
  const look = async (): Promise<void> => {
    const isHere = await answersHere();
    if (isStopped) return;
    if (isHere && (silences > 0 || ++answers >= STAYS_AFTER)) return onStayed();
    if (!isHere && ++silences === GONE_AFTER) onGone();
    timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  };
  timer = setTimeout(() => void look(), LOOK_EVERY_MS);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
};
