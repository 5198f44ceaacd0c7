import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint, ROOT_HEADER } from './endpoint.ts';
import { etag, ok } from './fields.ts';
import { editableFileSchema, etagHeaderSchema } from './names.ts';

const agentFile = z
  .object({
    path: z.string().describe('The name of the file.'),
    content: z.string().describe('The text of the file, in UTF-8.'),
    missing: z.boolean().describe('True if the file doesn’t exist. `content` is then empty.'),
    etag: z
      .string()
      .nullable()
      .describe(
        'The etag, with its quotes: 64 hex digits that change with the bytes. Null if the file doesn’t exist.',
      ),
    modifiedAt: z.iso
      .datetime()
      .nullable()
      .describe('When the file was last written. Null if it doesn’t exist.'),
  })
  .meta({ id: 'AgentFile' });

/** The response of {@link readFile}. */
export type AgentFile = z.infer<typeof agentFile>;

/** Reads one editable file as text. */
export const readFile = defineEndpoint({
  id: 'files.read',
  method: 'GET',
  path: '/api/agents/:id/file',
  summary: 'Read an agent’s file',
  task: 'Read a file of an agent',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  query: z.object({ path: editableFileSchema }),
  success: {
    status: 200,
    body: agentFile,
    headers: {
      ETag: {
        description: 'The `etag` in the body, for If-Match. Absent if the file doesn’t exist.',
        from: (body: AgentFile) => body.etag ?? undefined,
      },
    },
  },
  errors: [
    'invalid_agent_id',
    'invalid_file_name',
    'agent_not_found',
    'file_not_found',
    'outside_root',
    'not_a_file',
    'not_text',
    'file_too_large',
    'root_unavailable',
  ],
});

/** Writes one editable file, byte for byte and atomically. */
export const writeFile = defineEndpoint({
  id: 'files.write',
  method: 'PUT',
  path: '/api/agents/:id/file',
  summary: 'Write an agent’s file',
  description:
    'Other programs see either the old file or the new one, never a part. ' +
    'To avoid overwriting another program’s edit, send `If-Match` with the etag that you read. `If-None-Match: *` writes only if the file doesn’t exist.',
  task: 'Write a file (If-Match: its etag, or If-None-Match: * to create it)',
  access: 'api',
  keys: ['write-agent'],
  ownAgent: true,
  ofRoot: true,
  params: agentParams,
  headers: z.object({
    [ROOT_HEADER]: z.string().optional().describe('The `rootId` of the root that the text is for.'),
    'if-match': etagHeaderSchema.describe('Write only if the file still has one of these etags.'),
    'if-none-match': etagHeaderSchema.describe('`*`: write only if the file doesn’t exist.'),
  }),
  body: z.strictObject({
    path: editableFileSchema,
    content: z
      .string()
      .refine(
        (text) => !text.includes('\0'),
        'content can’t contain NUL characters, because the file would not be text.',
      )
      .refine(
        (text) => text.isWellFormed(),
        'content can’t contain a lone surrogate, because UTF-8 can’t encode it.',
      )
      .describe('The text of the file, in UTF-8.'),
  }),
  // In JSON, one byte of text can need six (\u0001), and the text can be 2 MiB.
  bodyLimitBytes: 13 * 1024 * 1024,
  records: true,
  success: {
    status: 200,
    body: z.object({ ok, etag, created: z.boolean().describe('True if the file didn’t exist before.') }),
    headers: {
      ETag: { description: 'The etag of the written file.', from: (body: { etag: string }) => body.etag },
    },
  },
  errors: [
    'invalid_agent_id',
    'invalid_file_name',
    'agent_not_found',
    'file_changed',
    'linked_file',
    'not_a_file',
    'not_text',
    'file_too_large',
    'root_unavailable',
  ],
});

export type FileWritten = z.infer<typeof writeFile.success.body>;
