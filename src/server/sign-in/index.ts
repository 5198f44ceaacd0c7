import {
  createPageKey,
  deletePageKey,
  exchangeToken,
  getChallenge,
  listPageKeys,
  renewOperatorToken,
  signIn,
} from '../../shared/api/sign-in.ts';
import type { Base, Feature } from '../feature.ts';
import { createPageKeys } from './page-keys.ts';
import { createSignInService, type SignInDeps, type SignInService } from './sign-in.service.ts';

/** Dependencies of {@link createSignIn}. */
type SignInFeatureDeps = Pick<Base, 'config' | 'publish' | 'clock' | 'logger'> &
  Pick<SignInDeps, 'operatorToken' | 'pageTokens' | 'agentKeyHashes' | 'ownsOrigin'>;

/** Creates the routes that sign pages in and out. */
export const createSignIn = ({
  config,
  publish,
  logger,
  ...deps
}: SignInFeatureDeps): Feature & Pick<SignInService, 'prove'> => {
  const service = createSignInService({
    ...deps,
    keys: createPageKeys(config.walletDirectory, { clock: deps.clock, logger }),
    hasApiToken: config.apiToken !== undefined,
  });
  /** The settings list the browsers that are signed in. */
  const announce = () => publish({ name: 'settings', data: {} });
  return {
    routes(bind) {
      bind(exchangeToken, (_request, caller) => service.exchange(caller.may('operator')));
      bind(getChallenge, () => service.challenge());
      bind(signIn, ({ body }, { origin }) =>
        service.signIn(body.keyId, body.challenge, body.signature, origin),
      );
      bind(listPageKeys, async () => ({ keys: await service.list() }));
      bind(createPageKey, async ({ body }, { origin }) => {
        const created = await service.create(body.name, body.publicKey, origin);
        announce();
        return created;
      });
      bind(deletePageKey, async ({ params }) => {
        await service.remove(params.keyId);
        announce();
        return { ok: true as const };
      });
      bind(renewOperatorToken, async () => {
        await service.renewOperatorToken();
        return { ok: true as const };
      });
    },
    prove: service.prove,
  };
};
