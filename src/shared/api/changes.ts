import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { ERROR_CODES } from './errors.ts';
import { codeOf, errorText, nextCursor, PAGE_FIELDS } from './fields.ts';
import {
  agentIdSchema,
  editableFileSchema,
  etagHeaderSchema,
  FORM_FILES,
  isEntryName,
  isLinkName,
  linkKindSchema,
  linkNameSchema,
  SHARED_WITH_HISTORY,
} from './names.ts';
import { agentCompletenessFields } from './usage.ts';

/** The length limit for a label, in characters. */
const MAX_LABEL = 200;

/** The most items of a change set. */
const MAX_ITEMS = 10_000;

const text = z
  .string()
  .refine((value) => !value.includes('\0'), 'The text can’t contain NUL characters.')
  .refine(
    (value) => value.isWellFormed(),
    'The text can’t contain a lone surrogate, because UTF-8 can’t encode it.',
  );

const content = text
  .nullable()
  .describe('The new text of the file, in UTF-8. Null removes the file. The journal keeps the old text.');

const ifMatch = etagHeaderSchema.describe(
  'Change the file only if it still has one of these etags. `*`: only if it exists.',
);

const createOnly = z.literal('*').optional().describe('Create the file only if it doesn’t exist.');

const fileItem = z.strictObject({
  agent: agentIdSchema,
  file: editableFileSchema,
  content,
  ifMatch,
  ifNoneMatch: createOnly,
});

const linkItem = z.strictObject({
  agent: agentIdSchema,
  link: z.strictObject({ kind: linkKindSchema, name: linkNameSchema }).describe('The link to change.'),
  to: z
    .literal('shared')
    .nullable()
    .describe(
      '`shared`: link the shared entry of this name, and replace a broken link. Null: remove the link.',
    ),
});

const jsonItem = z.strictObject({
  agent: agentIdSchema,
  json: z.enum(FORM_FILES).describe('The name of the JSON file.'),
  edits: z
    .array(
      z.strictObject({
        path: z
          .array(z.union([z.string().max(500), z.int().nonnegative()]))
          .min(1)
          .max(20)
          .describe('The keys and indexes from the top of the file to the value.'),
        value: z
          .json()
          .optional()
          .describe('The new value. If it and `rename` are absent, dot-mi removes the value.'),
        rename: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe('The new key of the value, which keeps its place. Send no `value` then.'),
      }),
    )
    .min(1)
    .max(200)
    .describe('The edits, in this order. Every other byte of the file stays the same.'),
  ifMatch,
  ifNoneMatch: createOnly,
});

const sharedItem = z.strictObject({
  shared: z
    .strictObject({ kind: linkKindSchema, name: linkNameSchema })
    .describe('The shared entry that has the file, or that is the file.'),
  file: z
    .string()
    .refine((path) => path.split('/').length <= 7 && path.split('/').every(isLinkName), {
      message: 'file must be a path below the entry, such as SKILL.md or references/api.md.',
      params: { code: 'invalid_file_name' },
    })
    .optional()
    .describe(
      'The path of the file below the entry, such as `SKILL.md`. Absent if the entry is a file itself.',
    ),
  content,
  ifMatch,
  ifNoneMatch: createOnly,
});

const deletionItem = z.strictObject({
  agent: agentIdSchema,
  delete: z
    .literal(true)
    .describe('Move the agent to the trash, and revoke its keys. The set has no other item for it.'),
});

const item = z.union([fileItem, jsonItem, linkItem, sharedItem, deletionItem]).meta({ id: 'ChangeItem' });

/** An item of a change set. */
export type ChangeItemInput = z.output<typeof item>;

/** Returns the position of the first item of an agent that another item deletes. */
const besideDeletion = (items: readonly ChangeItemInput[]): number => {
  const deletions = new Map(items.flatMap((one, at) => ('delete' in one ? [[one.agent, at] as const] : [])));
  return items.findIndex((one, at) => 'agent' in one && (deletions.get(one.agent) ?? at) !== at);
};

const path = z.string().describe('The path, relative to the root, such as `agents/scout/SYSTEM.md`.');

const state = z
  .object({
    is: z
      .enum(['missing', 'file', 'link', 'directory', 'other'])
      .describe('The kind of thing at the path. `other`: something that dot-mi doesn’t change.'),
    text: z
      .string()
      .optional()
      .describe(
        'The text of the file, or the target of the link as stored. `•••` replaces what may be a secret. Absent if you can’t read the file, or if dot-mi no longer has its text.',
      ),
  })
  .meta({ id: 'PathState' });

const result = {
  change: z
    .string()
    .nullable()
    .describe(
      'The id of the entry in the history. Null if nothing changed, or if dot-mi couldn’t record it, so that it can’t be undone.',
    ),
  applied: z.int().nonnegative().describe('The number of items that changed something.'),
  unchanged: z.int().nonnegative().describe('The number of items that were already as wanted.'),
  refused: z
    .array(
      z.object({
        index: z.int().nonnegative().describe('The position of the item in the change set.'),
        path,
        code: codeOf(ERROR_CODES),
        error: errorText,
        now: state.optional().describe('The current state of the path. Absent if dot-mi can’t tell.'),
        wanted: state
          .optional()
          .describe('The state that the undo would have restored. Absent in a response to other changes.'),
      }),
    )
    .describe('The items that changed nothing, each with its error. The other items aren’t affected.'),
};

const changeResult = z.object(result).meta({ id: 'ChangeResult' });

/** What became of a change set. */
export type ChangeResult = z.infer<typeof changeResult>;

const author = z
  .object({
    kind: z
      .enum(['operator', 'agent', 'anyone', 'program'])
      .describe(
        '`operator`, `agent` for an agent key, `anyone` for a caller without a token, or `program` for another program, such as an editor.',
      ),
    key: z.string().optional().describe('The label of the agent key. Absent for others.'),
  })
  .meta({ id: 'ChangeAuthor' });

const figures = {
  sessions: z
    .int()
    .nonnegative()
    .describe(
      'The number of sessions that began in this time. A session counts only there, also if it continued later.',
    ),
  failedSessions: z
    .int()
    .nonnegative()
    .describe(
      'The number of these sessions with at least one failed call. Such a session can still have succeeded, because pi repeats a call.',
    ),
  sats: z
    .number()
    .nonnegative()
    .nullable()
    .describe(
      'The cost of these sessions in sats, recorded or estimated as in GET /api/usage. Null if part of it isn’t known.',
    ),
  satsPerSession: z
    .number()
    .nonnegative()
    .nullable()
    .describe('`sats` divided by `sessions`. Null if `sats` is null or there are no sessions.'),
};

const since = z
  .object({
    ...figures,
    before: z
      .object(figures)
      .nullable()
      .describe(
        'The same for the time between the previous change and this one. For the first change, it counts all the time before. Null if no session began then.',
      ),
  })
  .meta({
    id: 'CostSinceChange',
    description: 'The cost of the agent’s sessions that began after this change and before the next one.',
  });

/** What an agent's sessions cost from one change to the next. */
export type CostSinceChange = z.infer<typeof since>;

const change = z
  .object({
    id: z.string().describe('The id of the change set. It never changes.'),
    at: z.iso.datetime().describe('When it was made.'),
    by: author.describe('The caller that made it.'),
    label: z.string().describe('A label for people.'),
    summary: z
      .string()
      .describe(
        'One line about the changes, such as `SYSTEM.md +31 −4, link pdf-tools`: files with the number of lines added and removed, and links. With `agent` or `shared`, only the changes there. It contains no text of a file.',
      ),
    state: z
      .enum(['done', 'partial'])
      .describe('`partial` if dot-mi stopped before it was finished. You can finish or undo it.'),
    items: z.int().describe('The number of its items.'),
    applied: z.int().describe('The number of items that were applied.'),
    undoes: z
      .string()
      .optional()
      .describe('The id of the change set that it undid. Absent if it’s not an undo.'),
    undoneBy: z
      .string()
      .optional()
      .describe('The id of the last change set that undid it. To redo it, undo that one. Otherwise absent.'),
    since: since
      .optional()
      .describe('The cost of the agent’s sessions since this change. Absent without `agent`.'),
  })
  .meta({ id: 'Change' });

/** An entry of the history. */
export type Change = z.infer<typeof change>;

const changeDetail = change
  .extend({
    paths: z
      .array(
        z.object({
          path,
          state: z
            .enum(['planned', 'applied', 'refused'])
            .describe('`applied` if the item changed something.'),
          canUndo: z.boolean().describe('False if dot-mi no longer has the text, or didn’t apply the item.'),
          before: state.describe('The state before the change.'),
          after: state.describe('The state after the change.'),
        }),
      )
      .describe('The items, in their order.'),
  })
  .meta({ id: 'ChangeDetail' });

/** An entry of the history with its items. */
export type ChangeDetail = z.infer<typeof changeDetail>;

/** Returns whether a text is `KIND/NAME`. */
const isSharedEntry = (text: string): boolean => {
  const [kind, name = '', ...more] = text.split('/');
  return SHARED_WITH_HISTORY.some((one) => one === kind) && isEntryName(name) && more.length === 0;
};

const changeParams = z.strictObject({ change: z.string().max(64).describe('The id of a change set.') });

/** Changes several files and links at once, and records them as one entry. */
export const makeChanges = defineEndpoint({
  id: 'changes.create',
  method: 'POST',
  path: '/api/changes',
  summary: 'Change files and links, or delete agents, as one entry in the history',
  description:
    'A JSON file changes by edits, so a client needs no hidden value to change its neighbor. dot-mi refuses an edit if pi would refuse something because of it. ' +
    'Each item has its own result. If one is refused, the others still change. Before the first write, dot-mi records ' +
    'what was there. `POST /api/changes/:change/undo` undoes all of them.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  body: z.strictObject({
    label: z.string().trim().min(1).max(MAX_LABEL).describe('A label of the change, for people.'),
    items: z
      .array(item)
      .min(1)
      .max(MAX_ITEMS)
      .check(({ value, issues }) => {
        const at = besideDeletion(value);
        // Its other changes would depend on which comes first.
        if (at >= 0)
          issues.push({
            code: 'custom',
            input: value,
            path: [at],
            message: 'Another item deletes this agent. Make that a change of its own.',
          });
      })
      .describe('The changes, in this order.'),
  }),
  bodyLimitBytes: 13 * 1024 * 1024,
  records: true,
  success: { status: 200, body: changeResult },
  errors: ['invalid_agent_id', 'invalid_file_name', 'invalid_name'],
});

const changeList = z.object({
  changes: z.array(change).describe('The entries, newest first.'),
  nextCursor,
  complete: agentCompletenessFields.complete
    .optional()
    .describe('True if `since` includes every call in the agent’s session files. Absent without `agent`.'),
  reading: agentCompletenessFields.reading
    .optional()
    .describe(
      'True while dot-mi is still reading session files. Repeat the request until it’s false. Absent without `agent`.',
    ),
  notCounted: agentCompletenessFields.notCounted
    .optional()
    .describe(
      'True if dot-mi can’t count some of the agent’s sessions. Then sats are null. Absent without `agent`.',
    ),
});

/** The response of {@link listChanges}. */
export type ChangeList = z.infer<typeof changeList>;

/** Lists the entries of the history. */
export const listChanges = defineEndpoint({
  id: 'changes.list',
  method: 'GET',
  path: '/api/changes',
  summary: 'List what was changed, newest first',
  description:
    'By default, it keeps entries for 90 days, up to 500 MB in total and 100 versions of each file.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  query: z.strictObject({
    agent: agentIdSchema.optional().describe('Only changes to this agent.'),
    shared: z
      .string()
      .refine(isSharedEntry, {
        message: 'shared must be a kind and a name, such as skills/pdf-tools.',
        params: { code: 'invalid_name' },
      })
      .optional()
      .describe(
        'Only changes to this shared entry or preset, such as `skills/pdf-tools` or `presets/web.json`. Not together with `agent`.',
      ),
    ...PAGE_FIELDS,
  }),
  success: { status: 200, body: changeList },
  errors: ['invalid_agent_id', 'invalid_name', 'root_unavailable'],
});

/** Reads an entry of the history, with the states before and after. */
export const getChange = defineEndpoint({
  id: 'changes.get',
  method: 'GET',
  path: '/api/changes/:change',
  summary: 'Show a change with what was there before and after',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: changeParams,
  success: { status: 200, body: changeDetail },
  errors: ['change_not_found'],
});

/** Undoes a change set. */
export const undoChange = defineEndpoint({
  id: 'changes.undo',
  method: 'POST',
  path: '/api/changes/:change/undo',
  summary: 'Undo a change',
  description:
    'Restores what was there before, byte for byte, and is a change of its own. To redo the change, undo that one. An item ' +
    'whose file has changed since is refused. `refused` shows what is there now, and what was wanted. Callers other than the ' +
    'operator can undo only what they changed themselves.',
  access: 'api',
  keys: ['write-agent'],
  ofRoot: true,
  params: changeParams,
  records: true,
  success: { status: 200, body: changeResult },
  errors: ['change_not_found', 'operator_required'],
});

/** Restores the versions that a change set made. */
export const restoreChange = defineEndpoint({
  id: 'changes.restore',
  method: 'POST',
  path: '/api/changes/:change/restore',
  summary: 'Restore the version that a change made',
  description:
    'Writes its files and links again as they were after the change, byte for byte, whatever they are now. That is a change of ' +
    'its own, so it can be undone. Whole agents and sessions are refused: restore them from the trash.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: changeParams,
  records: true,
  success: { status: 200, body: changeResult },
  errors: ['change_not_found'],
});

/** Makes the rest of a change set that was interrupted. */
export const finishChange = defineEndpoint({
  id: 'changes.finish',
  method: 'POST',
  path: '/api/changes/:change/finish',
  summary: 'Finish a change that was interrupted',
  description:
    'Makes the items that dot-mi had planned when it stopped. An item whose file has changed since is refused.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: changeParams,
  records: true,
  success: { status: 200, body: changeResult },
  errors: ['change_not_found'],
});
