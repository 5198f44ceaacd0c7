import { z } from 'zod';
import type { EndpointShape } from './endpoint.ts';
import { ERROR_CODES, type ErrorCode } from './errors.ts';
import { codeOf, errorText, message } from './fields.ts';

/** The codes that any route can return. Endpoints don't repeat them. */
const COMMON_ERRORS = [
  'invalid_request',
  'forbidden_host',
  'forbidden_origin',
  'internal',
  'too_many_connections',
  'too_many_open_files',
  'permission_denied',
] as const satisfies readonly ErrorCode[];

/** The codes that any route with a JSON body can also return. */
const BODY_ERRORS = [
  'invalid_json',
  'body_too_large',
  'unsupported_media_type',
  'disk_full',
] as const satisfies readonly ErrorCode[];

/** Returns the codes for a refused token or key, which the server checks first. */
const accessErrorsOf = ({ access, keys = 'none', ownAgent }: EndpointShape): ErrorCode[] => {
  if (access === 'open') return [];
  const isClosedToKeys = access === 'operator' && keys === 'none';
  return [
    'unauthorized',
    ...(access === 'operator' ? (['operator_required'] as const) : []),
    ...(isClosedToKeys ? [] : (['forbidden_scope'] as const)),
    ...(ownAgent ? (['forbidden_agent'] as const) : []),
  ];
};

/** The codes that any route that belongs to a root can also return. */
const ROOT_ERRORS = ['root_changed'] as const satisfies readonly ErrorCode[];

/**
 * The format of every error body. `error` is for a person, `code` is for programs. Some codes have more fields: the
 * `details` in {@link ERRORS}.
 */
export const problemSchema = z
  .looseObject({
    error: errorText,
    code: codeOf(ERROR_CODES),
    issues: z
      .array(z.object({ path: z.string().describe('The path of the field, such as `body.name`.'), message }))
      .optional()
      .describe('The invalid fields, at most 20. Absent if there are none.'),
  })
  .meta({
    id: 'Problem',
    description: 'Every error has this form. Programs should match on `code`, never on `error`.',
  });

/** The body of an error response. */
export type Problem = z.infer<typeof problemSchema>;

/** The codes that any route with `wallet_locked` can also return. */
const WALLET_ERRORS = ['wallet_damaged'] as const satisfies readonly ErrorCode[];

/** Returns every code that a route can return: its own and the common ones. */
export const errorsOf = (endpoint: EndpointShape): readonly ErrorCode[] => [
  ...endpoint.errors,
  ...COMMON_ERRORS,
  ...accessErrorsOf(endpoint),
  ...(endpoint.ofRoot ? ROOT_ERRORS : []),
  ...(endpoint.errors.includes('wallet_locked') ? WALLET_ERRORS : []),
  ...(endpoint.body ? BODY_ERRORS : []),
];

/** The reasons why dot-mi or pi can't use one entry of a list. They don't affect the other entries. */
const ENTRY_PROBLEMS = [
  'permission_denied',
  'not_a_file',
  'unreadable',
  'unsupported_name',
  'linked_agent',
] as const;

/** The problem of one entry in a list: a code for programs and a sentence for people. */
export const entryProblemSchema = z.object({ code: codeOf(ENTRY_PROBLEMS), message }).meta({
  id: 'EntryProblem',
  description: 'Why dot-mi or pi can’t use this entry. The others aren’t affected.',
});

/** One entry's problem, as a list reports it. */
export type EntryProblem = z.infer<typeof entryProblemSchema>;
