import {
  createPageKey,
  deletePageKey,
  exchangeToken,
  getChallenge,
  listPageKeys,
  renewOperatorToken,
  signIn,
} from '../../shared/api/sign-in.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { SignInService } from './sign-in.service.ts';

/** The routes that sign pages in and out. */
export const signInRoutes =
  (service: SignInService): Routes =>
  (bind) => {
    bind(exchangeToken, (_request, caller) => service.exchange(caller.may('operator')));
    bind(getChallenge, () => service.challenge());
    bind(signIn, ({ body }, { origin }) =>
      service.signIn(body.keyId, body.challenge, body.signature, origin),
    );
    bind(listPageKeys, async () => ({ keys: await service.list() }));
    bind(createPageKey, ({ body }, { origin }) => service.create(body.name, body.publicKey, origin));
    bind(deletePageKey, async ({ params }) => {
      await service.remove(params.keyId);
      return { ok: true as const };
    });
    bind(renewOperatorToken, async () => {
      await service.renewOperatorToken();
      return { ok: true as const };
    });
  };
