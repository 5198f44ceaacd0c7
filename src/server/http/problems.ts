import type { ErrorCode, Problem } from '../../shared/api/errors.ts';
import { AppError, fromSystemError } from '../platform/app-error.ts';

/** The status of each error code: the one table. */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_agent_id: 400,
  invalid_file_name: 400,
  invalid_name: 400,
  confirm_mismatch: 400,
  missing_model: 400,
  unauthorized: 401,
  sign_in_refused: 403,
  forbidden_host: 403,
  forbidden_origin: 403,
  outside_root: 403,
  root_not_trusted: 403,
  permission_denied: 403,
  not_found: 404,
  agent_not_found: 404,
  file_not_found: 404,
  shared_entry_not_found: 404,
  link_not_found: 404,
  trash_entry_not_found: 404,
  operation_not_found: 404,
  test_token_not_found: 404,
  page_key_not_found: 404,
  unknown_model: 404,
  method_not_allowed: 405,
  agent_exists: 409,
  link_exists: 409,
  linked_file: 409,
  not_a_file: 409,
  not_a_link: 409,
  not_a_directory: 409,
  token_spent: 409,
  token_in_progress: 409,
  already_spent: 409,
  not_reclaimable: 409,
  dev_mode: 409,
  nothing_found: 409,
  seed_missing: 409,
  seed_present: 409,
  not_releasable: 409,
  released: 409,
  idempotency_key_in_use: 409,
  setting_overridden: 409,
  script_changed: 409,
  port_in_use: 409,
  file_changed: 412,
  body_too_large: 413,
  file_too_large: 413,
  unsupported_media_type: 415,
  not_text: 422,
  malformed_token: 422,
  wrong_mint: 422,
  wrong_unit: 422,
  token_locked: 422,
  invalid_signature: 422,
  unknown_keyset: 422,
  amount_below_fee: 422,
  token_too_large: 422,
  mint_refused: 422,
  insufficient_funds: 422,
  invalid_mnemonic: 422,
  wrong_words: 422,
  price_list_invalid: 422,
  idempotency_key_reused: 422,
  internal: 500,
  wallet_damaged: 500,
  pricing_config_invalid: 500,
  setup_script_failed: 500,
  mint_error: 502,
  price_list_unavailable: 502,
  too_many_connections: 503,
  too_many_open_files: 503,
  too_many_streams: 503,
  root_unavailable: 503,
  mint_unreachable: 503,
  redemption_pending: 503,
  send_pending: 503,
  wallet_busy: 503,
  price_unavailable: 503,
  refresh_failed: 503,
  setup_script_missing: 503,
  restarting: 503,
  setup_script_timeout: 504,
  disk_full: 507,
};

/** An error as it is answered. `unexpected` is set when it is ours to mend and wants a log line. */
export interface ProblemAnswer {
  status: number;
  body: Problem;
  headers: Record<string, string>;
  unexpected?: unknown;
}

const extraHeaders = (error: AppError): Record<string, string> => {
  if (error.code === 'unauthorized') return { 'WWW-Authenticate': 'Bearer' };
  if (error.code === 'method_not_allowed') return { Allow: String(error.details.allow) };
  // Threads report it by its code alone.
  const retryAfterSeconds = error.code === 'too_many_open_files' ? 1 : error.details.retryAfterSeconds;
  if (typeof retryAfterSeconds === 'number') return { 'Retry-After': String(retryAfterSeconds) };
  return {};
};

/** Turns whatever was thrown into the one form of errors; nothing unexpected shows its message, stack or paths. */
export const toProblem = (error: unknown): ProblemAnswer => {
  const known = error instanceof AppError ? error : fromSystemError(error);
  if (!known) {
    return {
      status: STATUS_OF.internal,
      body: {
        error: 'Something went wrong inside dot-mi. See its log for details, and please report it.',
        code: 'internal',
      },
      headers: {},
      unexpected: error,
    };
  }
  const { allow: _allow, ...details } = known.details;
  return {
    status: STATUS_OF[known.code],
    body: { error: known.message, code: known.code, ...details },
    headers: extraHeaders(known),
  };
};
