import { z } from 'zod';
import { defineEndpoint, ROOT_HEADER } from './endpoint.ts';
import { agentId, okBody } from './fields.ts';
import { agentIdSchema, editableFileSchema, MAX_FILE_BYTES } from './names.ts';

/** The longest draft, in UTF-8 bytes. Longer than a file can be, so that pasting too much loses nothing. */
export const MAX_DRAFT_BYTES = 2 * MAX_FILE_BYTES;

/** The most drafts that one root can have. */
export const MAX_DRAFTS = 500;

const writerSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{8,64}$/, 'A writer id has 8 to 64 characters: letters, digits, "_" or "-".')
  .meta({ description: 'The writer id of the page. No other page has it.' });

const draftInfo = z
  .object({
    agentId,
    path: editableFileSchema,
    writer: z.string().describe('The writer id of the page with this draft.'),
    version: z.string().describe('The version. It changes with each write.'),
    typedAt: z.iso.datetime().describe('When somebody last typed in the draft.'),
  })
  .meta({ id: 'DraftInfo' });

/** A draft without its text. Each page has its own draft of a file. */
export type DraftInfo = z.infer<typeof draftInfo>;

const base = z
  .object({
    content: z.string().describe('The text of the file, in UTF-8.'),
    etag: z.string().nullable().describe('The etag of the file. Null if the file didn’t exist.'),
  })
  .meta({ description: 'The version of the file that the draft is based on.' });

const draft = draftInfo
  .extend({ text: z.string().describe('The text of the draft, with LF line endings.'), base })
  .meta({ id: 'Draft' });

export type StoredDraft = z.infer<typeof draft>;

const draftParams = z.strictObject({ id: agentIdSchema, writer: writerSchema });
const headers = z.object({
  [ROOT_HEADER]: z.string().optional().describe('The `rootId` of the root that the draft belongs to.'),
});

/** Lists the root's drafts, newest first. */
export const listDrafts = defineEndpoint({
  id: 'drafts.list',
  method: 'GET',
  path: '/api/drafts',
  summary: 'List the drafts of the root',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  headers,
  success: {
    status: 200,
    body: z.object({ drafts: z.array(draftInfo).describe('The drafts, newest first.') }),
  },
  errors: [],
});

/** Reads a draft with its text. */
export const readDraft = defineEndpoint({
  id: 'drafts.read',
  method: 'GET',
  path: '/api/drafts/:id/:writer',
  summary: 'Read a draft',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: draftParams,
  headers,
  query: z.object({ path: editableFileSchema }),
  success: { status: 200, body: draft },
  errors: ['invalid_agent_id', 'invalid_file_name', 'draft_not_found'],
});

/** Stores a draft. Once the server responds, the draft survives a server crash. */
export const writeDraft = defineEndpoint({
  id: 'drafts.write',
  method: 'PUT',
  path: '/api/drafts/:id/:writer',
  summary: 'Store a draft',
  description: `Never changes the agent’s file. A root has at most ${MAX_DRAFTS} drafts.`,
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: draftParams,
  headers,
  body: z.strictObject({
    path: editableFileSchema,
    text: z.string().describe('The text of the draft.'),
    base,
    typedAt: z.iso.datetime().describe('When somebody last typed in the draft.'),
    replaces: z
      .strictObject({
        writer: writerSchema,
        version: z.string().describe('The version. It changes with each write.'),
      })
      .optional()
      .describe(
        'Another page’s draft that this one continues. dot-mi removes it if it still has that version.',
      ),
  }),
  // JSON can need six bytes for one byte of text (\u0001), in the text and in its base.
  bodyLimitBytes: 38 * 1024 * 1024,
  success: {
    status: 200,
    body: z.object({ version: z.string().describe('The version. It changes with each write.') }),
  },
  errors: ['invalid_agent_id', 'invalid_file_name', 'file_too_large', 'too_many_drafts'],
});

/** Removes a draft after it was saved or discarded. Succeeds if there is no such draft. */
export const deleteDraft = defineEndpoint({
  id: 'drafts.delete',
  method: 'DELETE',
  path: '/api/drafts/:id/:writer',
  summary: 'Remove a draft',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: draftParams,
  headers,
  query: z.object({
    path: editableFileSchema,
    version: z.string().describe('The version to remove. A newer version stays.'),
  }),
  success: { status: 200, body: okBody },
  errors: ['invalid_agent_id', 'invalid_file_name', 'draft_changed'],
});
