import { z } from 'zod';
import { type ErrorInfo, retryAfter } from './error-info.ts';
import { KEY_SCOPES } from './key-scopes.ts';
import { WALLET_ERRORS } from './wallet/errors.ts';

const scriptOutput = z.object({
  exitCode: z.int().nullable().describe('The exit code of the script. Null if it was stopped.'),
  stderr: z.string().describe('The last lines that the script wrote to stderr, without absolute paths.'),
});
const currentEtag = z.object({
  etag: z.string().nullable().describe('The current etag of the file. Null if the file doesn’t exist.'),
});
/** The table of errors: every code that a program can get, in the order of the contract. */
export const ERRORS = {
  invalid_request: { status: 400, retryable: false, title: 'The request isn’t valid' },
  invalid_json: { status: 400, retryable: false, title: 'The body isn’t valid JSON' },
  unauthorized: { status: 401, retryable: false, next: 'ask', title: 'You need to sign in' },
  operator_required: {
    status: 403,
    retryable: false,
    next: 'ask',
    title: 'Only the operator can do this',
  },
  forbidden_scope: {
    status: 403,
    retryable: false,
    next: 'ask',
    title: 'This agent key can’t do that',
    details: z.object({
      scopes: z
        .array(z.enum(KEY_SCOPES))
        .optional()
        .describe('The scopes that allow this. Empty if no key can do it.'),
    }),
  },
  forbidden_agent: { status: 403, retryable: false, next: 'ask', title: 'This key isn’t for this agent' },
  agent_key_not_found: { status: 404, retryable: false, title: 'This agent key doesn’t exist' },
  too_many_keys: { status: 409, retryable: false, title: 'Too many agent keys' },
  sign_in_refused: { status: 403, retryable: false, title: 'This browser can’t sign in' },
  page_key_not_found: { status: 404, retryable: false, title: 'This browser is no longer signed in' },
  forbidden_host: { status: 403, retryable: false, title: 'dot-mi doesn’t respond at this host name' },
  forbidden_origin: { status: 403, retryable: false, title: 'Another web page sent this request' },
  not_found: {
    status: 404,
    retryable: false,
    title: 'This route doesn’t exist',
    details: z.object({
      nearest: z
        .array(z.string())
        .optional()
        .describe('Similar routes, such as "GET /api/agents". Absent if there are none.'),
    }),
  },
  method_not_allowed: { status: 405, retryable: false, title: 'The route doesn’t accept this method' },
  body_too_large: { status: 413, retryable: false, title: 'The request is too large' },
  unsupported_media_type: { status: 415, retryable: false, title: 'The body isn’t sent as JSON' },
  internal: { status: 500, retryable: true },
  too_many_connections: {
    status: 503,
    retryable: true,
    title: 'Too many requests at once',
    details: retryAfter,
  },
  too_many_open_files: { status: 503, retryable: true, title: 'Too many open files' },
  too_many_streams: { status: 503, retryable: true, title: 'Too many event streams', details: retryAfter },
  permission_denied: { status: 403, retryable: false, next: 'ask', title: 'Permission denied' },
  disk_full: { status: 507, retryable: true, next: 'ask', title: 'The disk is full' },
  root_unavailable: { status: 503, retryable: true, next: 'ask', title: 'dot-mi can’t read the root' },
  root_changed: {
    status: 409,
    retryable: false,
    title: 'dot-mi now manages another root',
    message:
      'dot-mi now manages another root, so nothing was read or changed. Reopen the root of this request, then retry.',
  },
  invalid_agent_id: { status: 400, retryable: false, title: 'The agent id isn’t valid' },
  agent_not_found: { status: 404, retryable: false, title: 'This agent doesn’t exist' },
  terminal_not_shown: { status: 409, retryable: false, next: 'ask', title: 'The terminal wasn’t shown' },
  agent_exists: { status: 409, retryable: false, title: 'The agent already exists' },
  setup_script_missing: { status: 503, retryable: true, next: 'ask', title: 'The root has no setup script' },
  root_not_trusted: {
    status: 403,
    retryable: false,
    next: 'ask',
    title: 'The root isn’t trusted',
    details: z.object({
      reason: z
        .enum(['new', 'script_changed'])
        .optional()
        .describe(
          '`new`: nobody has trusted this root yet. `script_changed`: its setup script has changed since the root was trusted.',
        ),
    }),
  },
  script_changed: { status: 409, retryable: false, next: 'ask', title: 'The setup script changed' },
  setup_script_failed: {
    status: 500,
    retryable: true,
    next: 'ask',
    title: 'The setup script failed or couldn’t run',
    details: scriptOutput,
  },
  setup_script_timeout: {
    status: 504,
    retryable: true,
    title: 'The setup script took too long',
    details: scriptOutput,
  },
  confirm_mismatch: { status: 400, retryable: false, title: 'The confirmation doesn’t match' },
  session_not_found: { status: 404, retryable: false, title: 'This session doesn’t exist' },
  session_changed: { status: 409, retryable: false, title: 'The session changed' },
  session_exists: { status: 409, retryable: false, title: 'The session already exists' },
  session_outside_root: { status: 409, retryable: false, title: 'dot-mi can’t move this session' },
  trash_entry_not_found: { status: 404, retryable: false, title: 'The trash doesn’t have this item' },
  trash_entry_unreadable: { status: 409, retryable: false, title: 'dot-mi can’t restore this item' },
  invalid_file_name: { status: 400, retryable: false, title: 'You can’t edit this file here' },
  file_not_found: { status: 404, retryable: false, title: 'The file doesn’t exist' },
  outside_root: { status: 403, retryable: false, title: 'The path points outside the root' },
  not_text: { status: 422, retryable: false, title: 'The file isn’t text' },
  not_a_file: { status: 409, retryable: false, title: 'The path isn’t a regular file' },
  file_too_large: { status: 413, retryable: false, title: 'The file is too large to edit here' },
  file_changed: { status: 412, retryable: false, title: 'The file changed', details: currentEtag },
  draft_not_found: { status: 404, retryable: false, title: 'This draft doesn’t exist' },
  draft_changed: { status: 409, retryable: false, title: 'The draft changed' },
  too_many_drafts: { status: 409, retryable: false, title: 'Too many drafts' },
  linked_file: { status: 409, retryable: false, title: 'The file is a symlink' },
  invalid_name: { status: 400, retryable: false, title: 'The name isn’t valid' },
  shared_entry_not_found: { status: 404, retryable: false, title: 'This shared entry doesn’t exist' },
  skill_differs: { status: 409, retryable: false, title: 'Another skill has this name' },
  link_exists: { status: 409, retryable: false, title: 'The link already exists' },
  link_not_found: { status: 404, retryable: false, title: 'This link doesn’t exist' },
  change_not_found: { status: 404, retryable: false, title: 'This change is no longer in the history' },
  nothing_to_undo: { status: 404, retryable: false, next: 'giveUp', title: 'There is nothing to undo' },
  preset_not_found: { status: 404, retryable: false, title: 'This preset doesn’t exist' },
  preset_exists: { status: 409, retryable: false, title: 'The preset already exists' },
  preset_unreadable: { status: 422, retryable: false, title: 'dot-mi can’t read this preset' },
  not_a_link: { status: 409, retryable: false, title: 'The entry isn’t a link' },
  not_a_directory: { status: 409, retryable: false, title: 'The path isn’t a directory' },
  pi_settings_unreadable: { status: 422, retryable: false, title: 'dot-mi can’t change this settings.json' },
  pi_setting_unknown: { status: 422, retryable: false, title: 'This setting can’t be changed here' },
  pi_setting_refused: { status: 422, retryable: false, title: 'pi would refuse this value' },
  package_refused: { status: 422, retryable: false, title: 'pi can’t use this package' },
  mcp_unreadable: { status: 422, retryable: false, title: 'dot-mi can’t change this mcp.json' },
  mcp_server_refused: { status: 422, retryable: false, title: 'pi would refuse this server' },
  mcp_server_exists: { status: 409, retryable: false, title: 'The server already exists' },
  mcp_server_not_found: { status: 404, retryable: false, title: 'This server doesn’t exist' },
  models_unreadable: { status: 422, retryable: false, title: 'dot-mi can’t change this models.json' },
  model_refused: { status: 422, retryable: false, title: 'pi would refuse this provider or model' },
  model_exists: { status: 409, retryable: false, title: 'The provider or model already exists' },
  model_not_found: { status: 404, retryable: false, title: 'This provider or model doesn’t exist' },
  provider_refused: { status: 422, retryable: false, title: 'dot-mi can’t call this provider' },
  provider_failed: {
    status: 502,
    retryable: true,
    next: 'ask',
    title: 'The provider didn’t respond as expected',
  },
  ...WALLET_ERRORS,
  charge_not_found: { status: 404, retryable: false, title: 'This charge doesn’t exist' },
  charge_expired: { status: 410, retryable: false, next: 'giveUp', title: 'The charge expired' },
  charge_open: { status: 409, retryable: true, title: 'Nobody has paid this charge yet' },
  charge_not_priced: { status: 409, retryable: false, title: 'This charge has a flat price' },
  charge_held: {
    status: 425,
    retryable: true,
    title: 'The charge is still in progress',
    details: retryAfter,
  },
  charge_is_deposit: {
    status: 409,
    retryable: false,
    title: 'This charge is a deposit into a prepaid balance',
  },
  prepaid_balance_blocked: {
    status: 403,
    retryable: false,
    title: 'The operator blocked this prepaid balance',
  },
  prepaid_balance_not_found: { status: 404, retryable: false, title: 'This prepaid balance doesn’t exist' },
  prepaid_balance_too_low: {
    status: 402,
    retryable: false,
    title: 'The prepaid balance is too low',
    details: z.object({
      required: z.int().describe('The most that the request can cost, in sats.'),
      available: z.int().describe('The sats that no other charge has reserved.'),
    }),
  },
  already_paid: { status: 409, retryable: false, title: 'Another token already paid this charge' },
  already_settled: {
    status: 409,
    retryable: false,
    title: 'The charge is already settled',
    details: z.object({ charged: z.int().describe('The price that the customer paid, in sats.') }),
  },
  already_refunded: { status: 409, retryable: false, title: 'The charge is already refunded' },
  amount_too_low: {
    status: 402,
    retryable: false,
    title: 'The token is worth too little',
    details: z.object({
      required: z.int().describe('The sats that must remain after the mint’s fee.'),
      received: z.int().describe('The sats that would remain.'),
      unspent: z
        .literal(true)
        .optional()
        .describe('True if the mint says that the token is unspent. Absent if that isn’t known.'),
    }),
  },
  nothing_to_refund: {
    status: 404,
    retryable: false,
    next: 'giveUp',
    title: 'There is nothing to refund',
    details: z.object({ charged: z.int().describe('The price that the customer paid, in sats.') }),
  },
  refund_swept: {
    status: 410,
    retryable: false,
    next: 'giveUp',
    title: 'Nobody fetched the refund in time',
  },
  too_many_charges: { status: 429, retryable: true, title: 'Too many unpaid charges', details: retryAfter },
  service_not_found: { status: 404, retryable: false, title: 'This agent was never for sale' },
  service_failed: { status: 502, retryable: true, next: 'ask', title: 'The service couldn’t start' },
  tools_not_accepted: {
    status: 409,
    retryable: false,
    next: 'ask',
    title: 'The agent has tools, or loads code',
    details: z.object({
      tools: z.array(z.string()).describe('The tools that a customer could make the agent use.'),
      loads: z
        .array(z.string())
        .describe('Each thing that the agent loads and that runs code or sends text elsewhere.'),
    }),
  },
  agent_not_priced: { status: 409, retryable: false, title: 'This agent’s work has no price' },
  missing_model: { status: 400, retryable: false, title: 'The request names no model' },
  unknown_model: {
    status: 404,
    retryable: false,
    title: 'This model has no price',
    details: z.object({
      suggestions: z.array(z.string()).optional().describe('Similar names that have a price, best first.'),
    }),
  },
  budgets_damaged: { status: 500, retryable: true, next: 'ask', title: 'dot-mi can’t read the budgets' },
  price_unavailable: {
    status: 503,
    retryable: true,
    title: 'There is no BTC price yet',
    details: retryAfter,
  },
  pricing_config_invalid: {
    status: 500,
    retryable: true,
    next: 'ask',
    title: 'dot-mi can’t use the models file',
    details: currentEtag,
  },
  refresh_failed: {
    status: 503,
    retryable: true,
    title: 'The BTC price wasn’t refreshed',
    details: z.object({
      success: z.literal(false).describe('Always false.'),
      sources: z.record(z.string(), z.string()).describe('Why each source failed, by source.'),
    }),
  },
  price_list_unavailable: { status: 502, retryable: true, title: 'dot-mi can’t fetch the price list' },
  price_list_invalid: { status: 422, retryable: false, title: 'This isn’t a price list' },
  setting_overridden: {
    status: 409,
    retryable: false,
    next: 'ask',
    title: 'This setting can’t be changed here',
    details: z.object({
      setting: z.string().optional().describe('The name of the setting.'),
      variable: z.string().nullish().describe('The environment variable that sets it.'),
    }),
  },
  port_in_use: { status: 409, retryable: false, title: 'The port is in use' },
  restarting: { status: 503, retryable: true, title: 'dot-mi is restarting', details: retryAfter },
} as const satisfies Readonly<Record<string, ErrorInfo>>;

/** Any code in {@link ERRORS}. Programs match on codes, never on text. */
export type ErrorCode = keyof typeof ERRORS;

/** Every error code, in the order of the contract. */
export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** Returns whether a value is an error code of the API. The page also has its own codes. */
export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(ERRORS, code);

/** Returns whether signing in solves this error. */
export const needsSignIn = (error: { readonly code: string } | null | undefined): boolean =>
  error?.code === 'unauthorized' || error?.code === 'operator_required';

/** Returns a code's properties, without the exact type of its row. */
export const errorInfo = (code: ErrorCode): ErrorInfo => ERRORS[code];

/** Returns an error's title. Undefined for `internal` and for codes that aren't from the API. */
export const titleOf = (code: string): string | undefined =>
  isErrorCode(code) ? errorInfo(code).title : undefined;

/** The codes whose error bodies have additional fields. */
type DetailedCode = {
  [C in ErrorCode]: (typeof ERRORS)[C] extends { details: z.ZodObject } ? C : never;
}[ErrorCode];

/** The additional fields of a code's error body. */
export type DetailsOf<C extends ErrorCode> = C extends DetailedCode
  ? z.output<(typeof ERRORS)[C]['details']>
  : Readonly<Record<string, unknown>>;

/** Returns the additional fields of an error body of this code. */
export const readDetails = <C extends DetailedCode>(
  _code: C,
  body: object | undefined,
): DetailsOf<C> | undefined => body as DetailsOf<C> | undefined;
