import type { TestMintProcess } from '../support/mint/test-mint-process.ts';
import type { WalletProcessOptions } from '../support/wallet-process.ts';
import { findPhantoms } from './audit.ts';
import type { Clients, Manners } from './clients.ts';
import { type DataDirectory, type Directories, walletOf } from './directories.ts';
import type { FaultSchedule } from './fault-schedule.ts';
import { auditDirectory, knownKeysets, readWallet } from './leftovers.ts';
import type { SecondMint } from './second-mint.ts';
import { type SecondWallet, startSecondWallet } from './second-wallet.ts';
import { issueExpiring } from './tokens.ts';

/** Something that happens between two lives of the server, or during the next one. */
export type TortureEvent =
  | 'copy'
  | 'rollback'
  | 'second'
  | 'expiry'
  | 'jump'
  | 'rate-limit'
  | 'lag'
  | 'pending'
  | 'lie'
  | 'release'
  | 'rescan'
  | 'second-mint'
  | 'clock'
  | 'nothing';

/** How often each kind of event happened. Those of the faults have counts of their own. */
export interface EventCounts {
  /** Copies of a killed or stopped server's data, and how often one was put back. */
  copies: number;
  rollbacks: number;
  /** Servers that lived next to the first on a copy of its data, and how many took its place. */
  secondWallets: number;
  takeovers: number;
  /** Pending operations that the operator released. */
  releases: number;
  rescans: number;
  /** Lives in which the server used the second mint. */
  secondMints: number;
  /** Lives in which the server's clock was wrong. */
  wrongClocks: number;
}

/** What the next life is like. */
export interface LifeManners extends Manners {
  /** The server uses the second mint. */
  isElsewhere?: boolean;
  /** How far the server's clock is wrong. */
  wrongByMs?: number;
}

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
  'pending',
  'lie',
  'release',
  'rescan',
  'second-mint',
  'clock',
  'nothing',
  'nothing',
  'nothing',
];

/** Each event once, so that a few lives meet all of them. */
const SHORT_DECK = [...new Set(DECK)].filter((event) => event !== 'nothing');
/** In a short run, and otherwise. */
const EVENTS_A_LIFE = { short: 2, long: 1 };

/** Draws events in a random order, so that none is missing for long. */
export const createDeck = (
  random: () => number,
  events: readonly TortureEvent[] = DECK,
): (() => TortureEvent) => {
  let deck: TortureEvent[] = [];
  return () => {
    if (deck.length === 0) deck = [...events];
    const [event] = deck.splice(Math.floor(random() * deck.length), 1);
    return event ?? 'nothing';
  };
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Past a recheck, past the silence after which another copy counts as gone, past expiries within days. */
const JUMPS_MS = [70_000, 11 * MINUTE_MS, 11 * MINUTE_MS, 2 * HOUR_MS, 24 * HOUR_MS];

const DAY_MS = 24 * HOUR_MS;
/** Past a recheck, past the longest interval of all, past an expiry, and back. */
const WRONG_BY_MS = [DAY_MS, 3 * DAY_MS, 8 * DAY_MS, 20 * DAY_MS, -6 * HOUR_MS];

/** The parts of a run that events need. */
interface EventParts {
  mint: TestMintProcess;
  secondMint: Pick<SecondMint, 'claim'>;
  directories: Directories;
  faults: FaultSchedule;
  clients: Clients;
  /** Chooses events, and all that is random about them. */
  draws: { event(): number; random(): number };
  isShort: boolean;
  keepLog(text: string): void;
  /** Starts the count of another life. Returns its number. */
  beginLife(): number;
  secondLaunch(): WalletProcessOptions;
}

/** The events of a run. */
export interface Events {
  counts: EventCounts;
  /** Causes the events before a life, of which there were this many. Returns how its clients behave. */
  meet(lives: number): Promise<LifeManners>;
  /** Ends the second server, if one runs. */
  endSecond(): Promise<void>;
  /** Reports where the books of the first server's wallet don't add up. It must have ended. */
  audit(): void;
  /** Reports proofs that the mint never signed. No server may run. */
  checkHeld(): Promise<void>;
  /** Kills the second server at the end of a run that failed. */
  discard(): Promise<void>;
}

/** Creates the {@link Events} of a run. */
export const createEvents = ({
  mint,
  secondMint,
  directories,
  faults,
  clients,
  draws,
  isShort,
  keepLog,
  beginLife,
  secondLaunch,
}: EventParts): Events => {
  const { random } = draws;
  const { main } = directories;
  const { problems } = clients.promises;
  const draw = createDeck(draws.event, isShort ? SHORT_DECK : DECK);
  const counts: EventCounts = {
    copies: 0,
    rollbacks: 0,
    secondWallets: 0,
    takeovers: 0,
    releases: 0,
    rescans: 0,
    secondMints: 0,
    wrongClocks: 0,
  };
  let second: (SecondWallet & { endsAtLife: number }) | undefined;

  const checkHeld = async () => {
    const held = [main, ...(second ? [second.directory] : [])].flatMap(
      (each) => readWallet(walletOf(each), mint.url).held,
    );
    problems.push(...(await findPhantoms(mint, held).catch(() => [])));
  };

  const audit = (directory: DataDirectory) => {
    if (directories.hasWallet()) problems.push(...auditDirectory(walletOf(directory)));
  };

  const endSecond = async () => {
    if (!second) return;
    keepLog(await second.end(random() < 0.5));
    audit(second.directory);
    await checkHeld();
    const takesOver = random() < 0.35;
    if (takesOver) counts.takeovers += 1;
    if (takesOver) directories.takeOver(second.directory);
    else directories.end(second.directory);
    keepLog(`--- the second wallet ${takesOver ? 'took over' : 'was removed'}\n`);
    second = undefined;
  };

  const startSecond = () => {
    if (second) return;
    counts.secondWallets += 1;
    const life = beginLife();
    const endsAtLife = life + 2 + Math.floor(random() * 4);
    second = { ...startSecondWallet(directories.split(), life, secondLaunch(), clients), endsAtLife };
  };

  const cause = async (event: TortureEvent): Promise<LifeManners> => {
    switch (event) {
      case 'copy':
        counts.copies += 1;
        directories.takeCopy();
        break;
      case 'rollback':
        counts.rollbacks += 1;
        directories.rollBack();
        break;
      case 'second':
        startSecond();
        break;
      case 'expiry': {
        const { id } = await faults.rotateToExpiring();
        clients.add(await faults.whileAlive(() => issueExpiring(mint, id, random)));
        break;
      }
      case 'jump':
        await faults.jump(JUMPS_MS[Math.floor(random() * JUMPS_MS.length)] ?? MINUTE_MS);
        break;
      case 'rate-limit':
        await faults.limitRate();
        break;
      case 'lag':
        await faults.lag();
        break;
      case 'pending':
        await faults.leavePending();
        return { isLong: true };
      case 'lie':
        await faults.lie();
        return { isLong: true };
      case 'release':
        await faults.stall();
        return { releases: true };
      case 'rescan':
        counts.rescans += 1;
        return { rescans: true };
      case 'second-mint':
        counts.secondMints += 1;
        // Only keysets that the wallet knows: the first mint to list a keyset owns it (docs/adr/0007).
        secondMint.claim(knownKeysets(walletOf(main), mint.url));
        return { isElsewhere: true };
      case 'clock':
        counts.wrongClocks += 1;
        return { wrongByMs: WRONG_BY_MS[Math.floor(random() * WRONG_BY_MS.length)] ?? DAY_MS };
      case 'nothing':
        break;
    }
    return {};
  };

  return {
    counts,
    async meet(lives) {
      await faults.lift();
      if (second && lives >= second.endsAtLife) await endSecond();
      if (!directories.hasWallet()) return {};
      let manners: LifeManners = {};
      for (let left = isShort ? EVENTS_A_LIFE.short : EVENTS_A_LIFE.long; left > 0; left--) {
        const event = counts.copies === 0 ? 'copy' : draw();
        keepLog(`--- ${event}\n`);
        manners = { ...manners, ...(await cause(event)) };
      }
      return manners;
    },
    endSecond,
    audit: () => audit(main),
    checkHeld,
    async discard() {
      await second?.end(false);
    },
  };
};
