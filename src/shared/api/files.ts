import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { editableFileSchema } from './names.ts';

const agentFile = z
  .object({
    path: z.string(),
    content: z.string(),
    missing: z.boolean(),
    etag: z.string().nullable().describe('Strong: the SHA-256 of the bytes in hex, in quotes.'),
    modifiedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'AgentFile' });

/** What {@link readFile} answers. */
export type AgentFile = z.infer<typeof agentFile>;

/** Reads one editable file as text. */
export const readFile = defineEndpoint({
  id: 'files.read',
  method: 'GET',
  path: '/api/agents/:id/file',
  summary: 'Read a file of an agent',
  access: 'api',
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
  summary: 'Write a file of an agent',
  description:
    'Another process sees the old or the new file, never a part. Send `If-Match` with the etag that was read, so that no edit of ' +
    'another program is lost; `If-None-Match: *` writes only a file that is not there.',
  access: 'api',
  params: agentParams,
  headers: z.object({
    'if-match': z.string().optional().describe('Write only when the file still has one of these etags.'),
    'if-none-match': z.string().optional().describe('`*`: write only when the file is not there.'),
  }),
  body: z.strictObject({
    path: editableFileSchema,
    content: z
      .string()
      .refine((text) => !text.includes('\0'), 'content must not hold NUL: it could not be read back as text.')
      .refine((text) => text.isWellFormed(), 'content must not hold a lone surrogate: it has no UTF-8.'),
  }),
  // JSON may write one byte of text as six (\u0001), and the text may have 2 MiB.
  bodyLimitBytes: 13 * 1024 * 1024,
  success: {
    status: 200,
    body: z.object({ ok: z.literal(true), etag: z.string(), created: z.boolean() }),
    headers: {
      ETag: { description: 'The etag of what was written.', from: (body: { etag: string }) => body.etag },
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

/** What {@link writeFile} answers. */
export type FileWritten = z.infer<typeof writeFile.success.body>;
