import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { message } from './fields.ts';
import { FORM_READ_ERRORS, formEtag, formEtagHeader } from './form-files.ts';
import { FORM_FILES } from './names.ts';

const jsonFile = z
  .object({
    path: z.enum(FORM_FILES).describe('The name of the file.'),
    exists: z.boolean().describe('True if the file exists.'),
    etag: formEtag('the file'),
    text: z
      .string()
      .nullable()
      .describe(
        'The text. `•••` replaces what may be a secret. Null if the file is missing or isn’t valid JSON.',
      ),
    hidden: z.int().describe('The number of hidden values and comments.'),
    problem: message.optional().describe('Why `text` is null although the file exists. Otherwise absent.'),
  })
  .meta({ id: 'JsonFile' });

export type JsonFile = z.infer<typeof jsonFile>;

/** Reads a JSON file that dot-mi changes field by field, without possible secrets. */
export const readJsonFile = defineEndpoint({
  id: 'json-files.read',
  method: 'GET',
  path: '/api/agents/:id/json',
  summary: 'Show a JSON file of an agent',
  description:
    'Returns the file as it is on disk, without secrets. `•••` replaces API keys, headers, environment variables, comments, ' +
    'text that looks like a secret, and the values of JSON keys that dot-mi doesn’t know. Without the operator token, it replaces all values. To change the file, use its own route.',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  query: z.object({ path: z.enum(FORM_FILES).describe('The name of the file.') }),
  success: { status: 200, body: jsonFile, headers: formEtagHeader },
  errors: FORM_READ_ERRORS,
});
