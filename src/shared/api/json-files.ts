import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { message } from './fields.ts';
import { FORM_READ_ERRORS, formEtag, formEtagHeader, hiddenValueSchema } from './form-files.ts';
import { FORM_FILES } from './names.ts';

const name = z.enum(FORM_FILES).describe('The name of the file.');

const path = z
  .array(z.union([z.string(), z.int()]))
  .describe('The keys and indexes from the top of the file to the value.');

const jsonFile = z
  .object({
    file: name,
    exists: z.boolean().describe('True if the file exists.'),
    etag: formEtag('the file'),
    value: z
      .json()
      .describe(
        'The value in the file. `•••` replaces what may be a secret. Null if the file is missing or isn’t valid JSON.',
      ),
    text: z
      .string()
      .nullable()
      .describe('The same as text, as it is on disk. Null if the file is missing or isn’t valid JSON.'),
    hidden: z
      .array(hiddenValueSchema.extend({ path }))
      .describe('The values that `•••` replaces. You don’t need them to change others.'),
    problems: z
      .array(z.object({ path, message }))
      .describe('The values that pi refuses. An empty path means the whole file.'),
  })
  .meta({ id: 'JsonFile' });

export type JsonFile = z.infer<typeof jsonFile>;

/** Reads a JSON file that dot-mi changes by edits. */
export const readJsonFile = defineEndpoint({
  id: 'json-files.read',
  method: 'GET',
  path: '/api/agents/:id/json/:file',
  summary: 'Show a JSON file of an agent',
  description:
    'Returns the value of the file and its text, without secrets. `•••` replaces API keys, headers, environment variables, comments, ' +
    'text that looks like a secret, and the values of JSON keys that dot-mi doesn’t know. Without the operator token, it replaces all values. ' +
    'To change the file, send edits to `POST /api/changes`.',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams.extend({ file: name }),
  query: z.object({
    reveal: z
      .enum(['true', 'false'])
      .optional()
      .describe('`true`: also show secrets and comments. Only the operator can.'),
  }),
  success: { status: 200, body: jsonFile, headers: formEtagHeader },
  errors: [...FORM_READ_ERRORS, 'operator_required'],
});
