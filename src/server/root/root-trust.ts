import { realpath } from 'node:fs/promises';
import type { RootTrust } from '../../shared/api/root.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { createRoot, isSamePath, type Root, resolveRoot } from '../platform/root.ts';
import type { RootIdentities } from './root-identity.ts';
import { findSetupFile, type SetupFile } from './setup-file.ts';
import type { TrustEntry, TrustStore } from './trust-store.ts';

/** The operator's decision on whether a root's agents and setup script can run (docs/adr/0019). */
export interface TrustService {
  /** Throws `root_unavailable` and `setup_script_failed`. */
  read(): Promise<RootTrust>;
  /**
   * Trusts the root with the script that has this hash, or without a script for null. Throws `script_changed`,
   * `setup_script_missing` and the errors of `read`.
   */
  trust(sha256: string | null): Promise<RootTrust>;
  /** Trusts the root as it is now. Throws the errors of `read`. */
  trustNow(): Promise<RootTrust>;
  withdraw(): Promise<RootTrust>;
  /**
   * Returns the script to run. Throws `root_not_trusted`, `setup_script_missing`, `setup_script_failed` if another
   * user can change it, and the errors of `read`.
   */
  requireTrusted(): Promise<SetupFile>;
  /** Returns whether the root was trusted at the last check. Reads nothing. */
  isReady(): boolean;
  /** Trusts a root in which dot-mi just installed its own script, with this script only. */
  trustPlanted(path: string): Promise<void>;
  /** Checks the root for the first time. Never rejects. */
  start(): Promise<void>;
}

interface RootTrustDeps {
  root: Root;
  identities: RootIdentities;
  store: TrustStore;
  starterRootPath: string;
  /** The starter root's template, which contains our own script. */
  starterTemplate: string;
  clock: Pick<Clock, 'now'>;
  logger: Pick<Logger, 'warn'>;
}

const REVIEW = 'then trust this root in Settings, or start dot-mi with --trust-root.';

const notTrusted = (name: string, reason: RootTrust['reason']) =>
  new AppError(
    'root_not_trusted',
    reason === 'script_changed'
      ? `dot-mi didn’t run ${name} because it has changed since you trusted this root. Read it again, ${REVIEW}`
      : `dot-mi didn’t run ${name} because nobody has trusted this root yet. Read it first, ${REVIEW}`,
    { reason },
  );

const scriptMissing = () =>
  new AppError(
    'setup_script_missing',
    'The root has no "dotpi" or "setup.sh" script to create agents with. Add one of them.',
  );

const othersCanChange = (name: string) =>
  new AppError(
    'setup_script_failed',
    `Other users of this computer can change ${name}, so dot-mi doesn’t run it. Make sure that it and its folder belong to you, and run "chmod go-w" on both. Or run "${name} create-agent" in a terminal.`,
    { exitCode: null, stderr: '' },
  );

/** Returns whether an entry trusts this script. Without a script, the root alone decides. */
const isFor = ({ trusted, script }: TrustEntry, file: SetupFile | undefined) =>
  trusted && (!file || (script?.name === file.name && script.sha256 === file.sha256));

const shownScript = ({ path: _path, isShared: _isShared, ...script }: SetupFile) => script;

const toState = (realRoot: string, file: SetupFile | undefined, reason: RootTrust['reason']): RootTrust => ({
  trusted: reason === undefined,
  ...(reason ? { reason } : {}),
  root: realRoot,
  script: file ? shownScript(file) : null,
});

/** Creates the {@link TrustService} of a root. */
export const createRootTrust = (deps: RootTrustDeps): TrustService => {
  const { root, identities, store, clock, logger } = deps;
  let isReady = false;

  /** Returns whether this is the script that dot-mi installed with the starter root. */
  const isOurs = async (realRoot: string, file: SetupFile): Promise<boolean> => {
    const starter = await realpath(deps.starterRootPath).catch(() => undefined);
    if (starter === undefined || !isSamePath(starter, realRoot)) return false;
    const bundled = await findSetupFile(deps.starterTemplate);
    return bundled?.name === file.name && bundled.sha256 === file.sha256;
  };

  const reasonNotTo = async (
    realRoot: string,
    place: string | undefined,
    file: SetupFile | undefined,
  ): Promise<RootTrust['reason']> => {
    const entry = place === undefined ? undefined : await store.find(place);
    if (entry && isFor(entry, file)) return undefined;
    const isWithdrawn = entry?.trusted === false;
    if (file && !isWithdrawn && (await isOurs(realRoot, file))) return undefined;
    return entry?.trusted ? 'script_changed' : 'new';
  };

  const look = async () => {
    const realRoot = await resolveRoot(root);
    const file = await findSetupFile(realRoot);
    // SECURITY: identify it each time, because another root may be here by now.
    const place = await identities.placeOf(realRoot);
    const reason = await reasonNotTo(realRoot, place, file);
    isReady = reason === undefined;
    return { realRoot, file, reason };
  };

  const read = async () => {
    const { realRoot, file, reason } = await look();
    return toState(realRoot, file, reason);
  };

  const record = async (
    realRoot: string,
    file: SetupFile | undefined,
    { trusted = true, keepsEarlier = false } = {},
  ): Promise<void> => {
    const { place } = await identities.identify(realRoot);
    const entry: TrustEntry = {
      place,
      path: realRoot,
      trusted,
      script: file ? { name: file.name, sha256: file.sha256 } : null,
      at: new Date(clock.now()).toISOString(),
    };
    await store.change(place, (before) => (before && keepsEarlier ? undefined : entry));
  };

  /** Records the starter root's script, so that it stays trusted when a newer dot-mi has another. */
  const adoptStarter = async () => {
    const { realRoot, file, reason } = await look();
    if (!file || reason || !(await isOurs(realRoot, file))) return;
    await record(realRoot, file, { keepsEarlier: true });
  };

  return {
    read,

    async trust(sha256) {
      const { realRoot, file } = await look();
      if (!file && sha256 !== null) throw scriptMissing();
      if (file && file.sha256 !== sha256)
        throw new AppError(
          'script_changed',
          `${file.name} ${sha256 === null ? 'appeared in the root' : 'changed while you were reading it'}, so dot-mi doesn’t trust it. Read it${sha256 === null ? ' first' : ' again'}.`,
        );
      await record(realRoot, file);
      return read();
    },

    async trustNow() {
      const { realRoot, file, reason } = await look();
      if (reason) await record(realRoot, file);
      return read();
    },

    async withdraw() {
      await record(await resolveRoot(root), undefined, { trusted: false });
      return read();
    },

    async requireTrusted() {
      const { file, reason } = await look();
      if (!file) throw scriptMissing();
      if (reason) throw notTrusted(file.name, reason);
      // SECURITY: the script runs by its path, and anyone who can replace it could do so after the check.
      if (file.isShared) throw othersCanChange(file.name);
      return file;
    },

    isReady: () => isReady,

    async trustPlanted(path) {
      const realRoot = await resolveRoot(createRoot(path));
      // SECURITY: hash our template, because another user of the root may already have replaced the script there.
      await record(realRoot, await findSetupFile(deps.starterTemplate));
    },

    start: () =>
      adoptStarter().catch((error: unknown) => {
        // A missing root or an unusable script is reported on request.
        if (!(error instanceof AppError))
          logger.warn({ err: error }, 'the root’s setup script can’t be checked');
      }),
  };
};
