import { z } from 'zod';
import { defineEndpoint, ROOT_HEADER } from './endpoint.ts';
import { agentId, okBody } from './fields.ts';
import { agentIdSchema, editableFileSchema, MAX_FILE_BYTES } from './names.ts';

/** The most UTF-8 bytes of a draft's text: more than a file may have, so that pasting too much loses nothing. */
export const MAX_DRAFT_BYTES = 2 * MAX_FILE_BYTES;

/** The most drafts of one root. */
export const MAX_DRAFTS = 500;

const writerSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{8,64}$/, 'A writer is 8 to 64 letters, digits, "_" or "-".')
  .meta({ description: 'A name for the page that typed it, which no other page has.' });

const draftInfo = z
  .object({
    agentId,
    path: editableFileSchema,
    writer: z.string().describe('The page that wrote it.'),
    version: z.string().describe('Changes with each write.'),
    typedAt: z.iso.datetime().describe('When the text was last typed.'),
  })
  .meta({ id: 'DraftInfo' });

/** A kept draft without its text. Each page that types in a file has its own. */
export type DraftInfo = z.infer<typeof draftInfo>;

const base = z
  .object({
    content: z.string().describe('The text, byte for byte in UTF-8.'),
    etag: z.string().nullable().describe('Null if there was no file.'),
  })
  .meta({ description: 'The version of the file that the text was typed into.' });

const draft = draftInfo
  .extend({ text: z.string().describe('With LF line ends.'), base })
  .meta({ id: 'Draft' });

/** A kept draft. */
export type StoredDraft = z.infer<typeof draft>;

const draftParams = z.strictObject({ id: agentIdSchema, writer: writerSchema });
const headers = z.object({
  [ROOT_HEADER]: z.string().optional().describe('The `rootId` of the root that the text was typed for.'),
});

/** Lists the kept drafts of the root, the latest first. */
export const listDrafts = defineEndpoint({
  id: 'drafts.list',
  method: 'GET',
  path: '/api/drafts',
  summary: 'List unsaved text that dot-mi keeps for the page',
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

/** Keeps a draft. It survives a crash of the server once this is answered. */
export const writeDraft = defineEndpoint({
  id: 'drafts.write',
  method: 'PUT',
  path: '/api/drafts/:id/:writer',
  summary: 'Keep a draft',
  description: `Never changes the agent's file. A root has at most ${MAX_DRAFTS} drafts.`,
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: draftParams,
  headers,
  body: z.strictObject({
    path: editableFileSchema,
    text: z.string().describe('The text.'),
    base,
    typedAt: z.iso.datetime().describe('When it was typed.'),
    replaces: z
      .strictObject({
        writer: writerSchema,
        version: z.string().describe('The version. It changes with each write.'),
      })
      .optional()
      .describe("Another page's draft that this one continues. It is removed if it is still that version."),
  }),
  // JSON may write one byte of text as six (\u0001), in the text and in its base.
  bodyLimitBytes: 38 * 1024 * 1024,
  success: {
    status: 200,
    body: z.object({ version: z.string().describe('The version. It changes with each write.') }),
  },
  errors: ['invalid_agent_id', 'invalid_file_name', 'file_too_large', 'too_many_drafts'],
});

/** Removes a draft that was saved or discarded. Succeeds if it doesn't exist. */
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
    version: z.string().describe('Removes only this version, so that newer text of another page stays.'),
  }),
  success: { status: 200, body: okBody },
  errors: ['invalid_agent_id', 'invalid_file_name', 'draft_changed'],
});
