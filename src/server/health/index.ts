import { getHealth, type Health } from '../../shared/api/health.ts';
import type { Base, Feature } from '../feature.ts';

interface HealthDeps extends Pick<Base, 'root' | 'clock'> {
  /** Facts that change only with a restart. */
  facts: Pick<Health, 'version' | 'devMode' | 'asksForToken'>;
  /** Proves to a page that this server signed it in. */
  prove(nonce: string, origin: string): string[];
  isFirstRun(): boolean;
  /** Reads only memory, because health never waits for a disk. */
  isRootTrusted(): boolean;
}

/** Creates the health route, which never requires a token. */
export const createHealth = ({ root, clock, facts, prove, ...changing }: HealthDeps): Feature => {
  const startedAtMs = clock.now();
  let health: Health | undefined;
  return {
    routes(bind) {
      bind(getHealth, ({ query: { nonce, origin } }, caller) => {
        const uptimeSeconds = Math.max(0, Math.floor((clock.now() - startedAtMs) / 1000));
        const [firstRun, rootTrusted] = [changing.isFirstRun(), changing.isRootTrusted()];
        const isSame = health?.firstRun === firstRun && health.rootTrusted === rootTrusted;
        if (!isSame || health?.uptimeSeconds !== uptimeSeconds)
          health = Object.freeze({
            ok: true,
            dotMiRoot: root.path,
            rootId: root.id,
            ...facts,
            firstRun,
            rootTrusted,
            uptimeSeconds,
          });
        if (nonce === undefined && !facts.asksForToken) return health;
        const response: Health = { ...health };
        // Only callers with a token learn the root's path.
        if (caller.kind === 'anyone' && !caller.isLetIn) {
          delete response.dotMiRoot;
          delete response.rootId;
        }
        return nonce && origin ? { ...response, proofs: prove(nonce, origin) } : response;
      });
    },
  };
};
