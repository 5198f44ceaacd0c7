import { z } from 'zod';

// Shared by the routes for JSON files.

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
      'A placeholder for a value that may be a secret, which this route never shows. Edits of other values keep it.',
  });

/** Replaces a value that may be a secret. */
export type HiddenValue = z.infer<typeof hiddenValueSchema>;

/** A value, or its {@link HiddenValue}. */
export const shownValueSchema = z.union([z.string(), hiddenValueSchema]);

/** A value of a file, or its {@link HiddenValue}. */
export type ShownValue = z.infer<typeof shownValueSchema>;
