import { z } from 'zod';
import { ROOT_HEADER } from './endpoint.ts';
import { etagHeaderSchema } from './names.ts';

// What the routes of the files that dot-mi changes by form have in common.

/** Why such a file can't be read. */
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

/** Why it can't be changed, whatever the change is. */
export const FORM_WRITE_ERRORS = [...FORM_READ_ERRORS, 'file_changed', 'linked_file'] as const;

/** The etag of a file in a body. */
export const formEtag = (file: string) =>
  z.string().nullable().describe(`The etag of ${file}, for If-Match. Null if it does not exist.`);

/** The header of an answer whose body has a {@link formEtag}. */
export const formEtagHeader = {
  ETag: {
    description: 'The `etag` of the body, for If-Match. Absent while the file is missing.',
    from: ({ etag }: { readonly etag: string | null }) => etag ?? undefined,
  },
};

/** The headers of a change. */
export const formHeaders = (file: string) =>
  z.object({
    [ROOT_HEADER]: z.string().optional().describe('The `rootId` of the root that the change is for.'),
    'if-match': etagHeaderSchema.describe(`Change only if ${file} still has one of these etags.`),
    'if-none-match': etagHeaderSchema.describe(`\`*\`: change only if ${file} does not exist.`),
  });

/** A value that the API doesn't show. */
export const hiddenValueSchema = z
  .object({
    hidden: z
      .enum(['text', 'command'])
      .describe('`text`: the value is in the file as text. `command`: pi runs a command for it.'),
    shown: z.string().optional().describe('A part of it that is not a secret, such as the origin of a URL.'),
    instead: z
      .string()
      .optional()
      .describe('Write this to make pi read the value from an environment variable.'),
  })
  .meta({
    id: 'HiddenValue',
    description:
      'Stands for a value that may be a secret. The API never shows it. Send it back to keep the value.',
  });

/** Stands for a value that the API never shows. */
export type HiddenValue = z.infer<typeof hiddenValueSchema>;

/** A value, or what stands for it. */
export const shownValueSchema = z.union([z.string(), hiddenValueSchema]);

/** A value of a file, or what stands for it. */
export type ShownValue = z.infer<typeof shownValueSchema>;

/** A text in a change. */
export const changedTextSchema = z
  .string()
  .refine((each) => !each.includes('\0') && each.isWellFormed(), 'Send text without NUL characters.');

/** A value as a change names it: a text, what the list shows for a hidden one, or null to remove it. */
export const changedValueSchema = z.union([changedTextSchema, hiddenValueSchema]).nullable();
