import { z } from 'zod';

/** Every error code a program may meet, in the order of the contract. Programs match on these, never on text. */
export const ERROR_CODES = [
  'invalid_request',
  'invalid_json',
  'unauthorized',
  'sign_in_refused',
  'page_key_not_found',
  'forbidden_host',
  'forbidden_origin',
  'not_found',
  'method_not_allowed',
  'body_too_large',
  'unsupported_media_type',
  'internal',
  'too_many_connections',
  'too_many_open_files',
  'too_many_streams',
  'permission_denied',
  'disk_full',
  'root_unavailable',
  'invalid_agent_id',
  'agent_not_found',
  'agent_exists',
  'setup_script_missing',
  'root_not_trusted',
  'script_changed',
  'setup_script_failed',
  'setup_script_timeout',
  'confirm_mismatch',
  'trash_entry_not_found',
  'invalid_file_name',
  'file_not_found',
  'outside_root',
  'not_text',
  'not_a_file',
  'file_too_large',
  'file_changed',
  'linked_file',
  'invalid_name',
  'shared_entry_not_found',
  'link_exists',
  'link_not_found',
  'not_a_link',
  'not_a_directory',
  'malformed_token',
  'wrong_mint',
  'wrong_unit',
  'token_locked',
  'invalid_signature',
  'unknown_keyset',
  'amount_below_fee',
  'token_too_large',
  'token_spent',
  'token_in_progress',
  'mint_refused',
  'mint_error',
  'mint_unreachable',
  'redemption_pending',
  'operation_not_found',
  'insufficient_funds',
  'send_pending',
  'already_spent',
  'not_reclaimable',
  'dev_mode',
  'invalid_mnemonic',
  'wrong_words',
  'nothing_found',
  'seed_missing',
  'seed_present',
  'not_releasable',
  'released',
  'wallet_busy',
  'test_token_not_found',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'wallet_damaged',
  'missing_model',
  'unknown_model',
  'price_unavailable',
  'pricing_config_invalid',
  'refresh_failed',
  'price_list_unavailable',
  'price_list_invalid',
  'setting_overridden',
  'port_in_use',
  'restarting',
] as const;

/** A code of {@link ERROR_CODES}. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** Codes that any route may answer, so that an endpoint lists only its own. */
export const COMMON_ERRORS = [
  'invalid_request',
  'unauthorized',
  'forbidden_host',
  'forbidden_origin',
  'internal',
  'too_many_connections',
  'too_many_open_files',
  'permission_denied',
] as const satisfies readonly ErrorCode[];

/** Codes that any route with a JSON body may answer on top. */
export const BODY_ERRORS = [
  'invalid_json',
  'body_too_large',
  'unsupported_media_type',
  'disk_full',
] as const satisfies readonly ErrorCode[];

/**
 * The one form of every error body. `error` is one sentence for a person, `code` is for programs; some codes
 * carry more fields (`exitCode`, `stderr`, `etag`), which their routes name.
 */
export const problemSchema = z
  .looseObject({
    error: z.string(),
    code: z.enum(ERROR_CODES),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({
    id: 'Problem',
    description: 'Every error has this form. Programs should match on `code`, never on `error`.',
  });

/** The body of an error answer. */
export type Problem = z.infer<typeof problemSchema>;
