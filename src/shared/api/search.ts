import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { agentId, limit, message } from './fields.ts';
import { EDITABLE_FILES } from './names.ts';

/** The longest text to search for, in UTF-16 code units. */
export const MAX_SEARCH_LENGTH = 200;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

const promptMatch = z
  .object({
    agent: z.string().describe('The id of the agent.'),
    file: z.enum(EDITABLE_FILES).describe('The name of a file, relative to the directory of the agent.'),
    line: z.int().positive().describe('The number of the first line that matches, from 1.'),
    text: z.string().describe('That line, or the part of a long line around the match.'),
    start: z.int().nonnegative().describe('The beginning of the match in `text`, in UTF-16 code units.'),
    length: z.int().positive().describe('The length of the match in UTF-16 code units.'),
  })
  .meta({ id: 'PromptMatch' });

/** A file that matches a search, with its first matching line. */
export type PromptMatch = z.infer<typeof promptMatch>;

const promptMatches = z.object({
  matches: z.array(promptMatch).describe('The files that contain the text.'),
  truncated: z.boolean().describe('True when more files match than `limit`.'),
  unreadable: z
    .array(
      z.object({
        agent: agentId,
        file: z.enum(EDITABLE_FILES).nullable().describe('Null when the whole agent can’t be read.'),
        problem: message,
      }),
    )
    .describe('Up to 20 files that could not be searched, out of `unreadableCount`.'),
  unreadableCount: z.int().nonnegative().describe('How many files could not be read.'),
});

/** The response of {@link searchPrompts}. */
export type PromptMatches = z.infer<typeof promptMatches>;

/** Searches the text of all agents' files. */
export const searchPrompts = defineEndpoint({
  id: 'search.prompts',
  method: 'GET',
  path: '/api/search',
  summary: "Search the text of all agents' files",
  description:
    'Finds the files that contain the text within one line, ignoring case and the amount of white space. Each file counts once, with its ' +
    'first matching line. Sorted by agent. A file that cannot be read is listed and hides no other.',
  task: 'Search files of all agents',
  access: 'api',
  keys: ['read-agents'],
  query: z.object({
    q: z.string().trim().min(1).max(MAX_SEARCH_LENGTH).describe('The text to search for. Case is ignored.'),
    limit: limit(MAX_LIMIT, DEFAULT_LIMIT),
  }),
  success: { status: 200, body: promptMatches },
  errors: ['root_unavailable'],
});
