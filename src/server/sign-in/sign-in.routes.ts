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

/** The routes that sign pages in and out. `onChange` is called when the list of signed-in browsers changed. */
export const signInRoutes =
  (service: SignInService, onChange: () => void): Routes =>
  (bind) => {
    bind(exchangeToken, (_request, caller) => service.exchange(caller.may('operator')));
    bind(getChallenge, () => service.challenge());
    bind(signIn, ({ body }, { origin }) =>
      service.signIn(body.keyId, body.challenge, body.signature, origin),
    );
    bind(listPageKeys, async () => ({ keys: await service.list() }));
    bind(createPageKey, async ({ body }, { origin }) => {
      const created = await service.create(body.name, body.publicKey, origin);
      onChange();
      return created;
    });
    bind(deletePageKey, async ({ params }) => {
      await service.remove(params.keyId);
      onChange();
      return { ok: true as const };
    });
    bind(renewOperatorToken, async () => {
      await service.renewOperatorToken();
      return { ok: true as const };
    });
  };
