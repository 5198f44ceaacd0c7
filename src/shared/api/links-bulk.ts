import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { ERROR_CODES } from './errors.ts';
import { agentId, codeOf, errorText, message, name } from './fields.ts';
import { agentIdSchema, entryNameSchema, linkKindSchema, linkNameSchema } from './names.ts';

const failed = z.array(
  z.object({
    name,
    code: codeOf(ERROR_CODES),
    error: message,
  }),
);

const changedLinks = z
  .object({
    agent: agentId,
    kind: linkKindSchema,
    done: z.array(z.string()).describe('The names that were changed.'),
    unchanged: z.array(z.string()).describe('Already linked to the shared entry, or already without a link.'),
    failed: failed.describe('The names that were not changed, each with its error.'),
  })
  .meta({
    id: 'ChangedLinks',
    description: 'The answers for one agent. Each name of the request is in one list.',
  });

/** The answers for one agent of a bulk request. */
export type ChangedLinks = z.infer<typeof changedLinks>;

/** The schema of {@link BulkLinks}. */
export const bulkResult = z
  .object({
    undo: z
      .string()
      .nullable()
      .describe(
        'Undoes what was done, until dot-mi has done 20 others. Of up to 50,000 links also after a restart. Null if ' +
          'nothing was done.',
      ),
    link: z.array(changedLinks).describe('The answers for the links to create.'),
    unlink: z.array(changedLinks).describe('The answers for the links to remove.'),
  })
  .meta({ id: 'BulkLinks' });

/** The answer of {@link changeLinks}. */
export type BulkLinks = z.infer<typeof bulkResult>;

const changes = z.strictObject({
  link: z
    .array(
      z.strictObject({
        agent: agentIdSchema,
        kind: linkKindSchema,
        names: z.array(linkNameSchema).describe('Names of shared entries.'),
      }),
    )
    .default([])
    .describe('The links to create.'),
  unlink: z
    .array(
      z.strictObject({
        agent: agentIdSchema,
        kind: linkKindSchema,
        names: z.array(entryNameSchema).describe('Names of shared entries.'),
      }),
    )
    .default([])
    .describe('The links to remove.'),
  replaceBroken: z.boolean().optional().describe('Replace broken links of the names to link.'),
});

/** The links to change. */
export type LinkChanges = z.output<typeof changes>;

/** Links and unlinks many shared entries in many agents. */
export const changeLinks = defineEndpoint({
  id: 'links.bulk',
  method: 'POST',
  path: '/api/links/bulk',
  summary: 'Link and unlink many entries at once',
  description:
    'Each name has its own answer, and one that fails keeps no other from being done. Of one agent, links are removed ' +
    'first. Only symlinks are removed.',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  body: changes,
  success: { status: 200, body: bulkResult },
  errors: ['invalid_agent_id', 'invalid_name', 'root_unavailable'],
});

const undoResult = z
  .object({
    undone: z.int().nonnegative().describe('How many links are as they were before.'),
    failed: z
      .array(
        z.object({ agent: agentId, kind: linkKindSchema, name, code: codeOf(ERROR_CODES), error: errorText }),
      )
      .describe('The names that were not changed, each with its error.'),
  })
  .meta({ id: 'UndoneLinks' });

/** The answer of {@link undoLinks}. */
export type UndoneLinks = z.infer<typeof undoResult>;

/** Undoes a bulk request. */
export const undoLinks = defineEndpoint({
  id: 'links.undo',
  method: 'POST',
  path: '/api/links/bulk/:undo/undo',
  summary: 'Undo a bulk change of links',
  description:
    'Links come back with the text they had. A link that another program changed meanwhile stays as it is and is ' +
    'named in `failed`. Repeat the request to try those again.',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  params: z.strictObject({ undo: z.string().describe('The id of the change to undo.') }),
  success: { status: 200, body: undoResult },
  errors: ['nothing_to_undo', 'root_unavailable'],
});
