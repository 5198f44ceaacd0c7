import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { agentId, limit, message } from './fields.ts';
import { EDITABLE_FILES } from './names.ts';

/** The longest search text, in UTF-16 code units. */
export const MAX_SEARCH_LENGTH = 200;

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

const promptMatch = z
  .object({
    agent: z.string().describe('The id of the agent.'),
    file: z.enum(EDITABLE_FILES).describe('The name of the file.'),
    line: z.int().positive().describe('The number of the first line that matches, from 1.'),
    text: z.string().describe('That line. For a long line, the part around the match.'),
    start: z.int().nonnegative().describe('The start of the match in `text`, in UTF-16 code units.'),
    length: z.int().positive().describe('The length of the match, in UTF-16 code units.'),
  })
  .meta({ id: 'PromptMatch' });

/** A file that matches a search, with its first matching line. */
export type PromptMatch = z.infer<typeof promptMatch>;

const promptMatches = z.object({
  matches: z.array(promptMatch).describe('The files that contain the text.'),
  truncated: z.boolean().describe('True if more files match than `limit`.'),
  unreadable: z
    .array(
      z.object({
        agent: agentId,
        file: z
          .enum(EDITABLE_FILES)
          .nullable()
          .describe('The name of the file. Null if dot-mi can’t read the agent at all.'),
        problem: message,
      }),
    )
    .describe('Files that dot-mi can’t read, at most 20.'),
  unreadableCount: z.int().nonnegative().describe('The number of files that dot-mi can’t read.'),
});

/** The response of {@link searchPrompts}. */
export type PromptMatches = z.infer<typeof promptMatches>;

/** Searches the text of all agents' files. */
export const searchPrompts = defineEndpoint({
  id: 'search.prompts',
  method: 'GET',
  path: '/api/search',
  summary: 'Search the files of all agents',
  description:
    'Finds the files with a line that contains the text. Ignores case and the amount of white space. Returns each file once, with ' +
    'the first line that matches, sorted by agent. Unreadable files don’t affect the other results.',
  task: 'Search files of all agents',
  access: 'api',
  keys: ['read-agents'],
  query: z.object({
    q: z.string().trim().min(1).max(MAX_SEARCH_LENGTH).describe('The text to search for.'),
    limit: limit(MAX_LIMIT, DEFAULT_LIMIT),
  }),
  success: { status: 200, body: promptMatches },
  errors: ['root_unavailable'],
});
