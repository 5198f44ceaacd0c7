import { z } from 'zod';
import { ROOT_HEADER } from './endpoint.ts';
import { etagHeaderSchema } from './names.ts';

// Shared by the routes for files that dot-mi changes field by field.

/** The errors of a read. */
export const FORM_READ_ERRORS = [
  'invalid_agent_id',
  'agent_not_found',
  'file_not_found',
  'outside_root',
  'not_a_file',
  'not_text',
  'file_too_large',
  'root_unavailable',
] as const;

/** The errors of any change. */
export const FORM_WRITE_ERRORS = [...FORM_READ_ERRORS, 'file_changed', 'linked_file'] as const;

/** The etag of a file, in a body. */
export const formEtag = (file: string) =>
  z
    .string()
    .nullable()
    .describe(
      `The etag of ${file}, for If-Match. Null if the file doesn’t exist, or if you don’t see its values.`,
    );

/** The header of a response whose body has a {@link formEtag}. */
export const formEtagHeader = {
  ETag: {
    description: 'The `etag` in the body, for If-Match. Absent if it is null.',
    from: ({ etag }: { readonly etag: string | null }) => etag ?? undefined,
  },
};

/** The headers of a change. */
export const formHeaders = (file: string) =>
  z.object({
    [ROOT_HEADER]: z.string().optional().describe('The `rootId` of the root to change.'),
    'if-match': etagHeaderSchema.describe(`Change ${file} only if it still has one of these etags.`),
    'if-none-match': etagHeaderSchema.describe(`\`*\`: create ${file}, but only if it doesn’t exist.`),
  });

/** A value that the API doesn't show. */
export const hiddenValueSchema = z
  .object({
    hidden: z
      .enum(['text', 'command'])
      .describe('`text`: the file contains the value as text. `command`: pi runs a command to get it.'),
    shown: z
      .string()
      .optional()
      .describe('The part of the value that isn’t secret, such as the origin of a URL.'),
    instead: z
      .string()
      .optional()
      .describe('The text to write instead, so that pi reads the value from an environment variable.'),
  })
  .meta({
    id: 'HiddenValue',
    description:
      'A placeholder for a value that may be a secret, which the API never shows. To keep the value, send the placeholder back.',
  });

/** Replaces a value that the API never shows. */
export type HiddenValue = z.infer<typeof hiddenValueSchema>;

/** A value, or its {@link HiddenValue}. */
export const shownValueSchema = z.union([z.string(), hiddenValueSchema]);

/** A value of a file, or its {@link HiddenValue}. */
export type ShownValue = z.infer<typeof shownValueSchema>;

/** Text in a change. */
export const changedTextSchema = z
  .string()
  .refine((each) => !each.includes('\0') && each.isWellFormed(), 'Send text without NUL characters.');

/** A value in a change: text, a {@link HiddenValue} to keep the value, or null to remove it. */
export const changedValueSchema = z.union([changedTextSchema, hiddenValueSchema]).nullable();
