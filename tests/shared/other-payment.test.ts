import { expect, it } from 'vitest';
import { otherPaymentOf } from '../../src/shared/other-payment.ts';

const DATA = 'pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqf';

it.each([
  ['lightning_invoice', `lnbc210n1${DATA}`],
  ['lightning_invoice', `LIGHTNING:LNBC20M1${DATA.toUpperCase()}`],
  ['lightning_invoice', `lightning:lnbcrt1${DATA}`],
  ['lightning_invoice', `lntb1u1${DATA.slice(0, 20)}\n${DATA.slice(20)}`],
  ['payment_request', 'creqApWF0gaNhdGVub3N0cmFheKlucHJvZmlsZTE'],
  ['payment_request', 'cashu:creqApWF0gaNhdGVub3N0cmFheKlucHJvZmlsZTE'],
  ['payment_request', 'CREQB1QYQQSCEEVC9JQ5NXVYCRZ'],
  [undefined, 'cashuBo2FteCJodHRwOi8vbG9jYWxob3N0'],
  [undefined, 'cashu:cashuAeyJ0b2tlbiI6W119'],
  [undefined, 'lnbc is what an invoice starts with'],
  [undefined, ''],
])('recognizes %s in “%s”', (kind, text) => {
  expect(otherPaymentOf(text)).toBe(kind);
});
