import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { message } from './fields.ts';
import { FORM_READ_ERRORS, formEtag, formEtagHeader } from './form-files.ts';
import { FORM_FILES } from './names.ts';

const jsonFile = z
  .object({
    path: z.enum(FORM_FILES).describe('The name of the file.'),
    exists: z.boolean().describe('False if there is no such file.'),
    etag: formEtag('the file'),
    text: z
      .string()
      .nullable()
      .describe(
        'The text, with `•••` in place of what may be a secret. Null if the file is missing or can’t be parsed.',
      ),
    hidden: z.int().describe('How many values and comments are hidden.'),
    problem: message.optional().describe('Why `text` is null although the file exists.'),
  })
  .meta({ id: 'JsonFile' });

/** The response of {@link readJsonFile}. */
export type JsonFile = z.infer<typeof jsonFile>;

/** Reads a JSON file that dot-mi changes by form, without what may be a secret. */
export const readJsonFile = defineEndpoint({
  id: 'json-files.read',
  method: 'GET',
  path: '/api/agents/:id/json',
  summary: 'Show a JSON file of an agent',
  description:
    'Shows the file as it is on disk, but no secrets. `•••` replaces API keys, headers, environment variables, comments, ' +
    'texts that look like a secret, and texts whose key dot-mi doesn’t know. Change the file with its own route.',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  query: z.object({ path: z.enum(FORM_FILES).describe('The name of the file.') }),
  success: { status: 200, body: jsonFile, headers: formEtagHeader },
  errors: FORM_READ_ERRORS,
});
