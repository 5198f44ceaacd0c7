import {
  createCharge,
  getCharge,
  listCharges,
  openAndPayCharge,
  payCharge,
  quoteCharge,
  refundToken,
  releaseCharge,
  settleCharge,
} from '../charges.ts';
import {
  blockPrepaidBalance,
  openPrepaidBalance,
  readPrepaidBalance,
  refundPrepaidBalance,
  topUpPrepaidBalance,
} from '../prepaid-balances.ts';
import {
  getBtcPrice,
  getTokenPrice,
  listModels,
  listPriceHistory,
  previewImport,
  quoteTokens,
  refreshPrice,
  writeModels,
} from '../pricing.ts';
import {
  buyFromService,
  checkService,
  listSales,
  listServices,
  listSoldChanges,
  previewService,
  startService,
  stopService,
} from '../services.ts';
import {
  attributeOperation,
  checkMint,
  checkProofs,
  confirmSeed,
  createTestToken,
  dropTestToken,
  getBalance,
  getBalanceHistory,
  getMint,
  getOperation,
  getSeed,
  listHistory,
  listTestTokens,
  receiveToken,
  reclaimToken,
  redeemTestToken,
  rescanWallet,
  restoreWallet,
  sendToken,
  validateToken,
} from '../wallet.ts';
import { example, type RequestExample } from './example.ts';

/** A placeholder for a token of 64 sat. */
export const PAID_TOKEN = 'cashuBo2FteBhodHRwczovL21pbnQuZXhhbXBsZS9wYWlk';

/** Placeholders for a wallet's backup words. They aren't valid, so that nobody uses them. */
export const EXAMPLE_WORDS =
  'album bridge cactus decade eagle fabric galaxy harbor island jacket kitten ladder';

/** Examples for restoring an empty wallet. */
export const restoreExamples: readonly RequestExample[] = [
  example(restoreWallet, 'Restore sats from backup words', { body: { mnemonic: EXAMPLE_WORDS } }),
  example(rescanWallet, 'Check the mint for missing sats', { body: {} }),
  example(getSeed, 'Show the backup words', {}),
];

/** Examples for confirming the backup words. */
export const confirmExamples: readonly RequestExample[] = [
  example(confirmSeed, 'Confirm the backup words', {
    body: {
      words: [
        { position: 1, word: 'album' },
        { position: 5, word: 'eagle' },
        { position: 12, word: 'ladder' },
      ],
    },
  }),
];

/** Examples for receiving and sending, in an order that works. */
export const walletExamples: readonly RequestExample[] = [
  example(getMint, 'Check whether the mint responds', {}),
  example(checkMint, 'Check a mint before the wallet uses it', { body: { mintUrl: 'https://mint.example' } }),
  example(validateToken, 'Check a token without redeeming it', { body: { token: PAID_TOKEN } }),
  example(receiveToken, 'Receive it for scout. A repeated request doesn’t receive it twice', {
    headers: { 'idempotency-key': 'order-1042' },
    body: { token: PAID_TOKEN, agent: 'scout', label: 'review' },
  }),
  example(getOperation, 'Follow the operation', {
    params: { operationId: '6f1c2a9e-4b7d-4c1e-9a3f-000000000001' },
  }),
  example(getBalance, 'Get the balance', {}),
  example(checkProofs, 'Check all sats with the mint now', { body: {} }),
  example(attributeOperation, 'Set its agent and label', {
    params: { operationId: '6f1c2a9e-4b7d-4c1e-9a3f-000000000001' },
    body: { agent: 'scout', label: 'code review' },
  }),
  example(sendToken, 'Send sats as a token', {
    headers: { 'idempotency-key': 'change-7' },
    body: { amount: 5, memo: 'change' },
  }),
  example(reclaimToken, 'Reclaim it', {
    params: { operationId: '6f1c2a9e-4b7d-4c1e-9a3f-000000000002' },
  }),
  example(listHistory, 'List the newest operations', { query: { limit: 10 } }),
  example(getBalanceHistory, 'Get the balance of the last days', { query: { days: 2 } }),
];

/** Placeholders for two customers' tokens of 8 sat. */
export const CUSTOMER_TOKENS = [
  'cashuBo2FteBhodHRwczovL21pbnQuZXhhbXBsZS9jdXN0b21lcjE',
  'cashuBo2FteBhodHRwczovL21pbnQuZXhhbXBsZS9jdXN0b21lcjI',
] as const;

const firstCharge = { params: { chargeId: '7d2b6c1a9e3f4d5b8c0a000000000001' } };
const REQUEST_HASH = 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9';

/** Examples for selling a piece of work, in an order that works. */
export const chargeExamples: readonly RequestExample[] = [
  example(createCharge, 'Ask for 5 sat', {
    body: { agent: 'scout', label: 'translation', amount: 5, requestHash: REQUEST_HASH },
  }),
  example(payCharge, 'Pay it with the customer’s token', {
    ...firstCharge,
    body: { token: CUSTOMER_TOKENS[0] },
  }),
  example(getCharge, 'See what was paid', firstCharge),
  example(settleCharge, 'Settle it for 3 sat, and get the customer’s change', {
    ...firstCharge,
    body: { amount: 3 },
  }),
  example(refundToken, 'Get the change again', { body: { token: CUSTOMER_TOKENS[0] } }),
  example(quoteCharge, 'Get a price without a charge', {
    body: { agent: 'scout', amount: 5, requestHash: REQUEST_HASH },
  }),
  example(openAndPayCharge, 'Create and pay a charge with a token', {
    body: { agent: 'scout', amount: 5, requestHash: REQUEST_HASH, token: CUSTOMER_TOKENS[1] },
  }),
  example(releaseCharge, 'Refund it, because the work failed', {
    params: { chargeId: '7d2b6c1a9e3f4d5b8c0a000000000002' },
    body: {},
  }),
  example(listCharges, 'List the charges of scout', { query: { agent: 'scout', limit: 10 } }),
];

/** A placeholder for the first key that a server creates. */
const PREPAID_KEY = `sk-${'1'.padStart(64, '0')}`;

/** Requests from a customer who paid in advance, in an order that works. */
export const prepaidExamples: readonly RequestExample[] = [
  example(openPrepaidBalance, 'Turn a customer’s token into a prepaid balance', {
    body: { token: CUSTOMER_TOKENS[0], agent: 'scout' },
  }),
  example(openAndPayCharge, 'Create and pay a charge with that balance', {
    body: { agent: 'scout', amount: 5, requestHash: REQUEST_HASH, prepaidKey: PREPAID_KEY },
  }),
  example(settleCharge, 'Settle it for 3 sat, and leave the rest in the balance', {
    params: { chargeId: '7d2b6c1a9e3f4d5b8c0a000000000001' },
    body: { amount: 3 },
  }),
  example(topUpPrepaidBalance, 'Add another token', {
    body: { prepaidKey: PREPAID_KEY, token: CUSTOMER_TOKENS[1] },
  }),
  example(readPrepaidBalance, 'See what is left', { body: { prepaidKey: PREPAID_KEY } }),
  example(blockPrepaidBalance, 'Block a customer’s prepaid key', {
    params: { balanceId: '6f1c2a9e-4b7d-4c1e-9a3f-000000000001' },
    body: { blocked: true },
  }),
  example(refundPrepaidBalance, 'Refund the rest to the customer', { body: { prepaidKey: PREPAID_KEY } }),
];

const translator = { params: { agent: 'translator' } };

/** Examples for selling an agent, in an order that works. */
export const serviceExamples: readonly RequestExample[] = [
  example(previewService, 'Estimate what customers would pay for translator', {
    body: { agent: 'translator', priceSats: 5 },
  }),
  example(startService, 'Sell translator for 5 sat a request', {
    body: { agent: 'translator', port: 8402, priceSats: 5, description: 'Translations' },
  }),
  example(listServices, 'List the agents that are for sale', {}),
  example(checkService, 'Check whether customers can buy from translator now', {
    params: { id: 'translator' },
  }),
  example(listSoldChanges, 'List what changed in translator since it was put up for sale', { ...translator }),
  example(listSales, 'List the paid requests of customers', { ...translator, query: { limit: 10 } }),
  example(buyFromService, 'Buy a translation from translator, as a customer does', {
    ...translator,
    body: { prompt: 'Good morning' },
  }),
  example(stopService, 'Stop selling translator', { ...translator, body: {} }),
];

/** Examples with tokens that were received as test money, in an order that works. */
export const testTokenExamples: readonly RequestExample[] = [
  example(listTestTokens, 'List tokens accepted with test money', {}),
  example(redeemTestToken, 'Redeem one at the mint', {
    params: { tokenId: '6f1c2a9e-4b7d-4c1e-9a3f-000000000001' },
  }),
  example(dropTestToken, 'Delete one', {
    params: { tokenId: '6f1c2a9e-4b7d-4c1e-9a3f-000000000002' },
  }),
];

/** Examples that need test money to be on. */
export const testMoneyExamples: readonly RequestExample[] = [
  example(createTestToken, 'Create a token of test money', { body: { amount: 100 } }),
];

/** Examples for prices, in an order that works. */
export const pricingExamples: readonly RequestExample[] = [
  example(refreshPrice, 'Fetch the BTC price now', {}),
  example(getBtcPrice, 'Get the BTC price', {}),
  example(listPriceHistory, 'Get the prices of the last hour', { query: { hours: 1 } }),
  example(writeModels, 'Set the prices of models, in dollars per million model tokens', {
    headers: {},
    body: {
      models: {
        'gpt-5.4': { input_usd_per_million: 2.5, output_usd_per_million: 15 },
        'local/small': { input_usd_per_million: 0, output_usd_per_million: 0 },
      },
    },
  }),
  example(listModels, 'List the models and their prices', {}),
  example(getTokenPrice, 'Get the price of a model in sats', { query: { model: 'gpt-5.4' } }),
  example(quoteTokens, 'Get the price of 1,200 input and 300 output tokens', {
    query: { model: 'gpt-5.4', inputTokens: 1_200, outputTokens: 300 },
  }),
  example(previewImport, 'See what a price list would change', {
    body: {
      content: '{"models":{"gpt-5.4":{"input_usd_per_million":2,"output_usd_per_million":15}}}',
    },
  }),
];
