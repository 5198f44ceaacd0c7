import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint, ROOT_HEADER } from './endpoint.ts';
import { etag, ok } from './fields.ts';
import { editableFileSchema, etagHeaderSchema } from './names.ts';

const agentFile = z
  .object({
    path: z.string().describe('One of the five files of an agent.'),
    content: z.string().describe('The text, byte for byte in UTF-8.'),
    missing: z.boolean().describe('True if the file does not exist. Its content is then empty.'),
    etag: z.string().nullable().describe('A strong ETag: the SHA-256 of the bytes, in hex and in quotes.'),
    modifiedAt: z.iso.datetime().nullable().describe('When it was last written. Null if it does not exist.'),
  })
  .meta({ id: 'AgentFile' });

/** The response of {@link readFile}. */
export type AgentFile = z.infer<typeof agentFile>;

/** Reads one editable file as text. */
export const readFile = defineEndpoint({
  id: 'files.read',
  method: 'GET',
  path: '/api/agents/:id/file',
  summary: "Read an agent's file",
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
        description: 'The `etag` of the body, for If-Match. Absent while the file is missing.',
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
  summary: "Write an agent's file",
  description:
    "Other processes see the old file or the new one, never a part. Send `If-Match` with the etag you read, so that you don't overwrite " +
    "another program's edit. `If-None-Match: *` writes only if the file does not exist.",
  task: 'Write a file (If-Match: its etag, or If-None-Match: * to create it)',
  access: 'api',
  keys: ['write-agent'],
  ownAgent: true,
  ofRoot: true,
  params: agentParams,
  headers: z.object({
    [ROOT_HEADER]: z.string().optional().describe('The `rootId` of the root that the text was written for.'),
    'if-match': etagHeaderSchema.describe('Write only if the file still has one of these etags.'),
    'if-none-match': etagHeaderSchema.describe('`*`: write only if the file does not exist.'),
  }),
  body: z.strictObject({
    path: editableFileSchema,
    content: z
      .string()
      .refine(
        (text) => !text.includes('\0'),
        'content must not contain NUL characters. The file could not be read back as text.',
      )
      .refine(
        (text) => text.isWellFormed(),
        'content must not contain a lone surrogate, because UTF-8 cannot encode it.',
      )
      .describe('The text, byte for byte in UTF-8.'),
  }),
  // JSON may write one byte of text as six (\u0001), and the text may have 2 MiB.
  bodyLimitBytes: 13 * 1024 * 1024,
  success: {
    status: 200,
    body: z.object({ ok, etag, created: z.boolean().describe('True if the file did not exist before.') }),
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

/** The response of {@link writeFile}. */
export type FileWritten = z.infer<typeof writeFile.success.body>;
