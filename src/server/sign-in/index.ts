import { exchangeToken, getChallenge, signIn } from '../../shared/api/sign-in.ts';
import type { Base, Feature } from '../feature.ts';
import { createSignInService, type SignInDeps, type SignInService } from './sign-in.service.ts';

type SignInFeatureDeps = Pick<Base, 'config'> & Omit<SignInDeps, 'hasApiToken'>;

/** Creates the routes that sign pages in. */
export const createSignIn = ({
  config,
  ...deps
}: SignInFeatureDeps): Feature & Pick<SignInService, 'prove'> => {
  const service = createSignInService({ ...deps, hasApiToken: config.apiToken !== undefined });
  return {
    routes(bind) {
      bind(exchangeToken, (_request, caller) => service.exchange(caller.kind === 'operator'));
      bind(getChallenge, () => service.challenge());
      bind(signIn, ({ body }, _, originOf) =>
        service.signIn(body.keyId, body.challenge, body.signature, originOf()),
      );
    },
    prove: service.prove,
  };
};
