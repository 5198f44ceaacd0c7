import { z } from 'zod';
import { OTHER_PAYMENTS } from '../other-payment.ts';

/** The properties of an error code. */
export interface ErrorInfo {
  /** The HTTP status. */
  readonly status: number;
  /**
   * Whether the same request can succeed later, because nothing is wrong with it: every 5xx, and each 4xx
   * that only waits for something else.
   */
  readonly retryable: boolean;
  /** A few words for a person, above the answer's sentence. Absent if only the page knows what failed. */
  readonly title?: string;
  /** The sentence of the answer, where it is always the same. */
  readonly message?: string;
  /** What a person can do about it. */
  readonly advice?: string;
  /** The fields of the error body in addition to those of {@link Problem}. */
  readonly details?: z.ZodObject;
}

const retryAfter = z.object({
  retryAfterSeconds: z.number().optional().describe('As in the header Retry-After.'),
});
const scriptOutput = z.object({
  exitCode: z.int().nullable().describe('Null when the script did not end on its own.'),
  stderr: z.string().describe('Its last lines, without absolute paths.'),
});
const currentEtag = z.object({
  etag: z.string().nullable().describe('The etag of the file now, or null when the file does not exist.'),
});
const mintRefusal = z.object({ mintCode: z.int().optional().describe("The mint's own error code.") });
const ownReceive = z.object({
  operationId: z.string().optional().describe('The operation with which this wallet received the token.'),
  receivedAt: z.iso.datetime().optional().describe('When that operation began.'),
  receivedAmount: z.int().optional().describe('The sats that it credited, or will credit.'),
});

/** The only table of errors: every code that a program can get, in the order of the contract. */
export const ERRORS = {
  invalid_request: { status: 400, retryable: false, title: 'The request is not valid' },
  invalid_json: { status: 400, retryable: false, title: 'Not valid JSON' },
  unauthorized: { status: 401, retryable: false, title: 'Sign in to this dot-mi' },
  sign_in_refused: { status: 403, retryable: false, title: 'This browser can’t sign in here' },
  page_key_not_found: { status: 404, retryable: false, title: 'This browser is no longer signed in' },
  forbidden_host: { status: 403, retryable: false, title: 'dot-mi doesn’t answer at this host name' },
  forbidden_origin: { status: 403, retryable: false, title: 'Another web page sent this request' },
  not_found: { status: 404, retryable: false, title: 'No such route' },
  method_not_allowed: { status: 405, retryable: false, title: 'No such method here' },
  body_too_large: { status: 413, retryable: false, title: 'The request is too large' },
  unsupported_media_type: { status: 415, retryable: false, title: 'The body is not JSON' },
  internal: { status: 500, retryable: true },
  too_many_connections: {
    status: 503,
    retryable: true,
    title: 'Too many requests at once',
    details: retryAfter,
  },
  too_many_open_files: { status: 503, retryable: true, title: 'Too many open files' },
  too_many_streams: { status: 503, retryable: true, title: 'Too many event streams', details: retryAfter },
  permission_denied: { status: 403, retryable: false, title: 'Permission denied' },
  disk_full: { status: 507, retryable: true, title: 'The disk is full' },
  root_unavailable: { status: 503, retryable: true, title: 'dot-mi can’t read the root' },
  root_changed: {
    status: 409,
    retryable: false,
    title: 'dot-mi manages another root now',
    message:
      'This dot-mi manages another root than the one this request is for, so nothing was read or changed. Open that root again, then retry.',
  },
  invalid_agent_id: { status: 400, retryable: false, title: 'Not an agent id' },
  agent_not_found: { status: 404, retryable: false, title: 'No such agent' },
  agent_exists: { status: 409, retryable: false, title: 'The agent already exists' },
  setup_script_missing: { status: 503, retryable: true, title: 'The root has no setup script' },
  root_not_trusted: {
    status: 403,
    retryable: false,
    title: 'The root is not trusted',
    details: z.object({ reason: z.enum(['new', 'script_changed']).optional() }),
  },
  script_changed: { status: 409, retryable: false, title: 'The setup script changed' },
  setup_script_failed: {
    status: 500,
    retryable: true,
    title: 'The setup script failed',
    details: scriptOutput,
  },
  setup_script_timeout: {
    status: 504,
    retryable: true,
    title: 'The setup script took too long',
    details: scriptOutput,
  },
  confirm_mismatch: { status: 400, retryable: false, title: 'The confirmation doesn’t match' },
  trash_entry_not_found: { status: 404, retryable: false, title: 'Not in the trash' },
  trash_entry_unreadable: { status: 409, retryable: false, title: 'This agent can’t be restored' },
  invalid_file_name: { status: 400, retryable: false, title: 'Not an editable file' },
  file_not_found: { status: 404, retryable: false, title: 'The file doesn’t exist' },
  outside_root: { status: 403, retryable: false, title: 'Points outside the root' },
  not_text: { status: 422, retryable: false, title: 'Not a text file' },
  not_a_file: { status: 409, retryable: false, title: 'Not a regular file' },
  file_too_large: { status: 413, retryable: false, title: 'Too large to edit here' },
  file_changed: { status: 412, retryable: false, title: 'The file changed', details: currentEtag },
  draft_not_found: { status: 404, retryable: false, title: 'No such draft' },
  draft_changed: { status: 409, retryable: false, title: 'The draft changed' },
  too_many_drafts: { status: 409, retryable: false, title: 'Too many drafts' },
  linked_file: { status: 409, retryable: false, title: 'The file is a symlink' },
  invalid_name: { status: 400, retryable: false, title: 'Not a name' },
  shared_entry_not_found: { status: 404, retryable: false, title: 'No such shared entry' },
  link_exists: { status: 409, retryable: false, title: 'The link already exists' },
  link_not_found: { status: 404, retryable: false, title: 'No such link' },
  nothing_to_undo: { status: 404, retryable: false, title: 'Nothing to undo' },
  preset_not_found: { status: 404, retryable: false, title: 'No such preset' },
  preset_exists: { status: 409, retryable: false, title: 'The preset already exists' },
  preset_unreadable: { status: 422, retryable: false, title: 'dot-mi can’t read this preset' },
  not_a_link: { status: 409, retryable: false, title: 'Not a link' },
  not_a_directory: { status: 409, retryable: false, title: 'Not a directory' },
  malformed_token: {
    status: 422,
    retryable: false,
    title: 'Not a Cashu token',
    message:
      'This is not a complete Cashu token. Copy it again, from its beginning (cashuA or cashuB) to its end.',
    advice: 'dot-mi can’t read this text. Copy the token again, from “cashu” to its end.',
    details: z.object({
      looksLike: z.enum(OTHER_PAYMENTS).optional().describe('The kind of the text, if it is a known one.'),
    }),
  },
  wrong_mint: {
    status: 422,
    retryable: false,
    title: 'A token from another mint',
    message:
      'This token is from another mint. This wallet only accepts tokens from the mint that MINT_URL names.',
    advice: 'This wallet only accepts tokens from its own mint. Ask the sender for one from that mint.',
  },
  wrong_unit: {
    status: 422,
    retryable: false,
    title: 'Not in sat',
    message: 'This token is not in sats. This wallet only accepts sats.',
    advice: 'This wallet only holds sat. Ask the sender for a token in sat.',
  },
  token_locked: {
    status: 422,
    retryable: false,
    title: 'Locked to a key',
    message:
      'This token is locked to a key that this wallet does not have. Ask its sender for one without a lock.',
    advice: 'Only the holder of that key can redeem it. Ask the sender for a token without a lock.',
  },
  invalid_signature: {
    status: 422,
    retryable: false,
    title: 'This token is invalid or forged',
    message: 'This token is invalid or forged. Ask its sender for another one.',
    advice: 'The mint’s signatures don’t match this token. Ask the sender for another one.',
    details: mintRefusal,
  },
  unknown_keyset: {
    status: 422,
    retryable: false,
    title: 'Unknown keyset',
    message: "The mint does not know this token's keyset. Ask its sender for another one.",
    advice: 'The mint doesn’t know the keys of this token. Ask the sender to swap it for a new one.',
  },
  amount_below_fee: {
    status: 422,
    retryable: false,
    title: 'Worth less than its fee',
    message: "The mint's fee would use up this token. Ask its sender for a larger one.",
    advice: 'The mint’s fee would take all of it, so nothing is left to receive. Ask for a larger token.',
  },
  token_too_large: {
    status: 422,
    retryable: false,
    title: 'Too many proofs for the mint',
    details: mintRefusal.extend({ limit: z.int().optional() }),
  },
  token_spent: {
    status: 409,
    retryable: false,
    title: 'Already spent',
    message: 'This token has already been spent. Ask its sender for another one.',
    advice:
      'Someone redeemed all or part of this token before. If this wallet didn’t receive it, ask the sender for a new one.',
    details: ownReceive,
  },
  token_in_progress: {
    status: 409,
    retryable: true,
    title: 'Being redeemed right now',
    message: 'Another request is redeeming this token right now. Try again in a moment.',
    advice: 'The mint is processing this token, perhaps for this wallet. Check again in a minute.',
    details: ownReceive.extend({ retryAfterSeconds: z.int().optional() }),
  },
  mint_refused: { status: 422, retryable: false, title: 'The mint refused it', details: mintRefusal },
  mint_error: { status: 502, retryable: true, title: 'The mint’s answer can’t be used', details: retryAfter },
  mint_unreachable: { status: 503, retryable: true, title: 'The mint can’t be reached', details: retryAfter },
  redemption_pending: {
    status: 503,
    retryable: true,
    title: 'The mint may have redeemed it',
    details: retryAfter.extend({ operationId: z.string() }),
  },
  operation_not_found: { status: 404, retryable: false, title: 'The wallet doesn’t know this operation' },
  insufficient_funds: { status: 422, retryable: false, title: 'Not enough in the wallet' },
  send_pending: {
    status: 503,
    retryable: true,
    title: 'The token isn’t ready yet',
    details: retryAfter.extend({ operationId: z.string().optional() }),
  },
  already_spent: { status: 409, retryable: false, title: 'The proofs are already spent' },
  not_reclaimable: { status: 409, retryable: false, title: 'This token can’t be taken back' },
  dev_mode: { status: 409, retryable: false, title: 'Not possible with test money' },
  invalid_mnemonic: { status: 422, retryable: false, title: 'These aren’t backup words' },
  wrong_words: { status: 422, retryable: false, title: 'These aren’t the words of this wallet' },
  nothing_found: {
    status: 409,
    retryable: false,
    title: 'These words hold no sats at this mint',
    details: z.object({
      skipped: z.array(z.object({ keysetId: z.string(), reason: z.string() })).optional(),
    }),
  },
  seed_missing: { status: 409, retryable: true, title: 'The backup words are missing' },
  seed_present: { status: 409, retryable: false, title: 'The wallet has its backup words' },
  not_releasable: { status: 409, retryable: false, title: 'This operation can’t be released' },
  released: { status: 409, retryable: false, title: 'The operation was released' },
  wallet_busy: { status: 503, retryable: true, title: 'The wallet is busy', details: retryAfter },
  wallet_locked: { status: 503, retryable: true, title: 'The wallet is locked', details: retryAfter },
  test_token_not_found: { status: 404, retryable: false, title: 'No such test token' },
  idempotency_key_reused: { status: 422, retryable: false, title: 'The key was used for another request' },
  idempotency_key_in_use: { status: 409, retryable: true, title: 'The first request is still running' },
  wallet_damaged: { status: 500, retryable: true, title: 'dot-mi can’t read the wallet' },
  missing_model: { status: 400, retryable: false, title: 'No model named' },
  unknown_model: { status: 404, retryable: false, title: 'No price for this model' },
  budgets_damaged: { status: 500, retryable: true, title: 'dot-mi can’t read the budgets' },
  price_unavailable: { status: 503, retryable: true, title: 'No BTC price yet', details: retryAfter },
  pricing_config_invalid: {
    status: 500,
    retryable: true,
    title: 'dot-mi can’t use the models file',
    details: currentEtag,
  },
  refresh_failed: {
    status: 503,
    retryable: true,
    title: 'The price was not refreshed',
    details: z.object({
      success: z.literal(false),
      sources: z.record(z.string(), z.string()).describe('Why each source gave no price.'),
    }),
  },
  price_list_unavailable: { status: 502, retryable: true, title: 'The price list can’t be fetched' },
  price_list_invalid: { status: 422, retryable: false, title: 'Not a price list' },
  setting_overridden: {
    status: 409,
    retryable: false,
    title: 'The environment sets this',
    details: z.object({ setting: z.string().optional(), variable: z.string().nullish() }),
  },
  port_in_use: { status: 409, retryable: false, title: 'The port is in use' },
  restarting: { status: 503, retryable: true, title: 'dot-mi is restarting', details: retryAfter },
} as const satisfies Readonly<Record<string, ErrorInfo>>;

/** A code of {@link ERRORS}. Programs match on these, never on text. */
export type ErrorCode = keyof typeof ERRORS;

/** Every error code, in the order of the contract. */
export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** Whether a text is an error code of the API. The page knows others. */
export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(ERRORS, code);

/** The properties of a code, without the exact type of its row. */
export const errorInfo = (code: ErrorCode): ErrorInfo => ERRORS[code];

/** The title of an error, or undefined for `internal` and for codes that aren't from the API. */
export const titleOf = (code: string): string | undefined =>
  isErrorCode(code) ? errorInfo(code).title : undefined;

/** The codes with additional fields. */
export type DetailedCode = {
  [C in ErrorCode]: (typeof ERRORS)[C] extends { details: z.ZodObject } ? C : never;
}[ErrorCode];

/** The additional fields of an error body. */
export type DetailsOf<C extends ErrorCode> = C extends DetailedCode
  ? z.output<(typeof ERRORS)[C]['details']>
  : Readonly<Record<string, unknown>>;

/** Reads the additional fields of an error body. Undefined if they don't match their schema. */
export const readDetails = <C extends DetailedCode>(code: C, body: unknown): DetailsOf<C> | undefined =>
  ERRORS[code].details.safeParse(body).data as DetailsOf<C> | undefined;
