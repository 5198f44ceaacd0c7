import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { okBody } from './fields.ts';

/** Replaces the operator token with a new one. */
export const renewOperatorToken = defineEndpoint({
  id: 'operatorToken.renew',
  method: 'POST',
  path: '/api/operator-token/renew',
  summary: 'Replace the operator token',
  description:
    'The old token stops working immediately. Scripts can read the new one from the file "operator-token" in the wallet directory. Signed-in pages stay signed in.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({}),
  success: { status: 200, body: okBody },
  errors: [],
});
