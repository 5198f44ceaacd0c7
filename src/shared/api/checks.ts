import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint, ROOT_HEADER } from './endpoint.ts';
import { agentId, etag, id, message, name, ok } from './fields.ts';
import { EDITABLE_FILES, editableFileSchema, entryNameSchema } from './names.ts';

/** The severities of findings, worst first. Only an `error` means that something doesn't work. */
export const SEVERITIES = ['error', 'warning', 'hint'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** A position in a file's text. Lines and columns count from 1, columns in UTF-16 code units. */
const position = {
  line: z.int().positive().describe('The line, from 1.'),
  column: z.int().positive().describe('The column, from 1, in UTF-16 code units.'),
};

const range = {
  ...position,
  endLine: z.int().positive().describe('The last line, from 1.'),
  endColumn: z
    .int()
    .positive()
    .describe('The column after the last character, from 1, in UTF-16 code units.'),
};

const checkEdit = z
  .object({
    ...range,
    text: z.string().describe('The new text of the range, with the file’s line endings.'),
  })
  .meta({ id: 'CheckEdit' });

/** A replacement for a range in the finding's file. */
export type CheckEdit = z.infer<typeof checkEdit>;

/** The schema of a finding. */
export const findingSchema = z
  .object({
    rule: z.string().describe('The id of the rule. docs/checks.md describes the rules.'),
    severity: z.enum(SEVERITIES).describe('The severity.'),
    file: z
      .string()
      .describe('The path of the file, relative to the agent’s or skill’s directory, with `/`.'),
    ...range,
    message,
    fix: z
      .object({
        title: z.string().describe('A short description of the fix, for people.'),
        safe: z
          .boolean()
          .describe('True if the fix doesn’t change what the file means, so nobody has to review it.'),
        edits: z.array(checkEdit).describe('The edits that make up the fix.'),
      })
      .optional()
      .describe('The fix. Absent if only a person can fix the problem.'),
  })
  .meta({ id: 'Finding' });

/** A problem in an agent or a skill, with its position. */
export type Finding = z.infer<typeof findingSchema>;

/** Returns whether a finding is about a part of its file, not the whole file. */
export const hasPlace = ({ line, column, endLine, endColumn }: Finding): boolean =>
  line > 1 || column > 1 || endLine > 1 || endColumn > 1;

const counts = {
  errors: z.int().nonnegative().describe('The number of errors.'),
  warnings: z.int().nonnegative().describe('The number of warnings.'),
  hints: z.int().nonnegative().describe('The number of hints.'),
};

const agentCheckCounts = z
  .object({
    id: agentId,
    ...counts,
    stopping: z
      .int()
      .nonnegative()
      .describe('The number of findings that prevent a run: errors, unknown tools and unknown models.'),
  })
  .meta({ id: 'AgentCheckCounts', description: 'The number of findings in an agent and its local skills.' });

/** The number of findings in one agent. */
export type AgentCheckCounts = z.infer<typeof agentCheckCounts>;

const skillCheckCounts = z
  .object({ name, ...counts })
  .meta({ id: 'SkillCheckCounts', description: 'The number of findings in a shared skill.' });

/** The number of findings in one shared skill. */
export type SkillCheckCounts = z.infer<typeof skillCheckCounts>;

const ruleText = z
  .object({
    id,
    title: z.string().describe('The problem, in a few words for people.'),
    why: z.string().describe('Why the problem matters, and what to do.'),
  })
  .meta({ id: 'CheckRule' });

/** A rule's explanation for people. */
export type RuleText = z.infer<typeof ruleText>;

const found = {
  findings: z.array(findingSchema).describe('The findings, sorted by file and position.'),
  rules: z.array(ruleText).describe('The rules of these findings.'),
  truncated: z
    .boolean()
    .describe('True if there may be more findings: some are not listed, or dot-mi did not check all files.'),
};

const agentChecks = z
  .object({
    ...found,
    linkedSkills: z
      .array(skillCheckCounts)
      .describe('The linked shared skills that have findings. `findings` doesn’t list those.'),
    etags: z
      .partialRecord(z.enum(EDITABLE_FILES), z.string())
      .describe('The etags of the checked files, by file name. Send them when you apply fixes.'),
  })
  .meta({ id: 'AgentChecks' });

/** The response of {@link checkAgent}. */
export type AgentChecks = z.infer<typeof agentChecks>;

const skillChecks = z.object(found).meta({ id: 'SkillChecks' });

/** The response of {@link checkSharedSkill}. */
export type SkillChecks = z.infer<typeof skillChecks>;

/** Lists the findings in one agent. */
export const checkAgent = defineEndpoint({
  id: 'checks.agent',
  method: 'GET',
  path: '/api/agents/:id/checks',
  summary: 'Check an agent',
  description:
    'Checks the agent’s files, its links and its local skills, and runs nothing. Skips unreadable files. For a file that you can’t see, it leaves out the details. ' +
    '`docs/checks.md` lists the rules.',
  task: 'Find problems in an agent',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  success: { status: 200, body: agentChecks },
  errors: ['invalid_agent_id', 'agent_not_found', 'outside_root', 'root_unavailable'],
});

/** Counts the findings in each agent and shared skill. */
export const countFindings = defineEndpoint({
  id: 'checks.count',
  method: 'GET',
  path: '/api/checks',
  summary: 'Count the findings in all agents and shared skills',
  description:
    'Leaves out agents and skills without findings. Counts a shared skill once, not once for each agent.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({
      agents: z.array(agentCheckCounts).describe('The agents with findings, sorted by id.'),
      skills: z.array(skillCheckCounts).describe('The shared skills with findings, sorted by name.'),
    }),
  },
  errors: ['outside_root', 'root_unavailable'],
});

export type FindingCounts = z.infer<typeof countFindings.success.body>;

/** Lists the findings in one shared skill. */
export const checkSharedSkill = defineEndpoint({
  id: 'checks.skill',
  method: 'GET',
  path: '/api/catalog/skills/:name/checks',
  summary: 'Check a shared skill',
  access: 'api',
  keys: ['read-agents'],
  params: z.strictObject({ name: entryNameSchema }),
  success: { status: 200, body: skillChecks },
  errors: ['invalid_name', 'shared_entry_not_found', 'outside_root', 'root_unavailable'],
});

const findingPlace = z
  .strictObject({
    rule: z.string().describe('The id of the rule.'),
    file: editableFileSchema,
    ...position,
  })
  .meta({ id: 'FindingPlace', description: 'Identifies a finding by its rule, file and position.' });

/** Identifies one of an agent's findings. */
export type FindingPlace = z.infer<typeof findingPlace>;

/** The limit for findings that one request can fix. A response lists no more than that. */
const MAX_FIXES = 500;

/** Fixes the given findings of an agent. */
export const fixFindings = defineEndpoint({
  id: 'checks.fix',
  method: 'POST',
  path: '/api/agents/:id/checks/fix',
  summary: 'Fix findings of an agent',
  description:
    'Applies the fixes of these findings, with one atomic write for each file. Send the files’ etags from the response to the check. ' +
    'If one of the files has changed since, dot-mi writes nothing, and the error is `file_changed`. `notFixed` lists findings that no longer ' +
    'exist, that have no fix, or whose fix overlaps an earlier one.',
  access: 'api',
  keys: ['write-agent'],
  ownAgent: true,
  ofRoot: true,
  params: agentParams,
  headers: z.object({
    [ROOT_HEADER]: z.string().optional().describe('The `rootId` of the root that you checked.'),
  }),
  body: z
    .strictObject({
      findings: z.array(findingPlace).min(1).max(MAX_FIXES).describe('The findings to fix.'),
      etags: z
        .partialRecord(z.enum(EDITABLE_FILES), z.string())
        .describe('The etags of the files in the response to the check, by file name.'),
    })
    .refine(({ findings, etags }) => findings.every(({ file }) => etags[file] !== undefined), {
      path: ['etags'],
      message: 'etags must contain the etag of each finding’s file.',
    }),
  records: true,
  success: {
    status: 200,
    body: z.object({
      ok,
      files: z
        .array(
          z.object({
            file: z.enum(EDITABLE_FILES).describe('The name of the file.'),
            etag,
            fixed: z.int().nonnegative().describe('The number of fixed findings in this file.'),
          }),
        )
        .describe('The files that dot-mi wrote, with their new etags.'),
      notFixed: z.array(findingPlace).describe('The findings that dot-mi didn’t fix.'),
    }),
  },
  errors: [
    'invalid_agent_id',
    'invalid_file_name',
    'agent_not_found',
    'file_changed',
    'linked_file',
    'file_too_large',
    'outside_root',
    'root_unavailable',
  ],
});

export type FindingsFixed = z.infer<typeof fixFindings.success.body>;
