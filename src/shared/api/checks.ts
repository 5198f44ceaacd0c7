import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint, ROOT_HEADER } from './endpoint.ts';
import { agentId, etag, id, message, name, ok } from './fields.ts';
import { EDITABLE_FILES, editableFileSchema, entryNameSchema } from './names.ts';

/** How bad a finding is, worst first. Only an `error` keeps something from working. */
export const SEVERITIES = ['error', 'warning', 'hint'] as const;

/** One of {@link SEVERITIES}. */
export type Severity = (typeof SEVERITIES)[number];

/** A position in a text. Lines and columns count from 1, columns in UTF-16 code units. */
const position = {
  line: z.int().positive().describe('The line, from 1.'),
  column: z.int().positive().describe('The column, from 1, in UTF-16 units.'),
};

const range = {
  ...position,
  endLine: z.int().positive().describe('The line of its end, from 1.'),
  endColumn: z.int().positive().describe('The column after its end, from 1.'),
};

const checkEdit = z
  .object({
    ...range,
    text: z.string().describe('The new text of the range, with the line ends of the file.'),
  })
  .meta({ id: 'CheckEdit' });

/** A replacement of a range of one file, of the finding's file. */
export type CheckEdit = z.infer<typeof checkEdit>;

/** The schema of a finding. */
export const findingSchema = z
  .object({
    rule: z.string().describe('The id of the rule. docs/checks.md describes each.'),
    severity: z.enum(SEVERITIES).describe('How serious it is.'),
    file: z.string().describe("Relative to the agent's or the skill's directory, with `/`."),
    ...range,
    message,
    fix: z
      .object({
        title: z.string().describe('A few words for people.'),
        safe: z
          .boolean()
          .describe('True if the fix changes nothing else, so that no one has to read it first.'),
        edits: z.array(checkEdit).describe('The changes of text that fix it.'),
      })
      .optional()
      .describe('Absent if only a person can fix it.'),
  })
  .meta({ id: 'Finding' });

/** Something that is wrong in an agent or a skill, with its place. */
export type Finding = z.infer<typeof findingSchema>;

/** Whether a finding is about a part of its file, and not about the whole. */
export const hasPlace = ({ line, column, endLine, endColumn }: Finding): boolean =>
  line > 1 || column > 1 || endLine > 1 || endColumn > 1;

const counts = {
  errors: z.int().nonnegative().describe('How many errors were found.'),
  warnings: z.int().nonnegative().describe('How many warnings were found.'),
  hints: z.int().nonnegative().describe('How many hints were found.'),
};

const agentCheckCounts = z
  .object({
    id: agentId,
    ...counts,
    stopping: z
      .int()
      .nonnegative()
      .describe('How many of them stop a run: errors, unknown tools and unknown models.'),
  })
  .meta({ id: 'AgentCheckCounts', description: 'The number of findings in an agent and its own skills.' });

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
    title: z.string().describe('A few words for people.'),
    why: z.string().describe('Why it matters, and what to do.'),
  })
  .meta({ id: 'CheckRule' });

/** A rule as a person reads it. */
export type RuleText = z.infer<typeof ruleText>;

const found = {
  findings: z.array(findingSchema).describe('By file and place.'),
  rules: z.array(ruleText).describe('The rules of these findings.'),
  truncated: z.boolean().describe('True if there are more, which are not listed. Fix some of these first.'),
};

const agentChecks = z
  .object({
    ...found,
    linkedSkills: z
      .array(skillCheckCounts)
      .describe(
        'The shared skills with findings that this agent links to. Their findings are not listed here.',
      ),
    etags: z
      .partialRecord(z.enum(EDITABLE_FILES), z.string())
      .describe('The etags of the files that were checked, for a fix.'),
  })
  .meta({ id: 'AgentChecks' });

/** The response of {@link checkAgent}. */
export type AgentChecks = z.infer<typeof agentChecks>;

const skillChecks = z.object(found).meta({ id: 'SkillChecks' });

/** The response of {@link checkSharedSkill}. */
export type SkillChecks = z.infer<typeof skillChecks>;

/** The findings in one agent. */
export const checkAgent = defineEndpoint({
  id: 'checks.agent',
  method: 'GET',
  path: '/api/agents/:id/checks',
  summary: 'Check an agent',
  description:
    "Checks the agent's files, its links and its own skills, and runs nothing. A file that cannot be read is not checked, and hides " +
    'no other. `docs/checks.md` lists the rules.',
  task: 'Find problems in an agent',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  success: { status: 200, body: agentChecks },
  errors: ['invalid_agent_id', 'agent_not_found', 'outside_root', 'root_unavailable'],
});

/** The number of findings in each agent and shared skill. */
export const countFindings = defineEndpoint({
  id: 'checks.count',
  method: 'GET',
  path: '/api/checks',
  summary: 'Count the findings in all agents and shared skills',
  description:
    'Leaves out agents and skills without findings. A shared skill counts once, not for each agent.',
  access: 'api',
  keys: ['read-agents'],
  success: {
    status: 200,
    conditional: true,
    body: z.object({
      agents: z.array(agentCheckCounts).describe('The agents, by id.'),
      skills: z.array(skillCheckCounts).describe('The shared skills with findings.'),
    }),
  },
  errors: ['outside_root', 'root_unavailable'],
});

/** The response of {@link countFindings}. */
export type FindingCounts = z.infer<typeof countFindings.success.body>;

/** The findings in one shared skill. */
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
  .meta({ id: 'FindingPlace', description: 'Identifies a finding. Its values are those of the finding.' });

/** Identifies a finding of an agent. */
export type FindingPlace = z.infer<typeof findingPlace>;

/** The most findings that one request fixes: as many as one response lists. */
const MAX_FIXES = 500;

/** Applies the fixes of some findings. */
export const fixFindings = defineEndpoint({
  id: 'checks.fix',
  method: 'POST',
  path: '/api/agents/:id/checks/fix',
  summary: 'Fix findings of an agent',
  description:
    'Applies the fixes of these findings, each file in one atomic write. `etags` has the etag of each of their files, as the check returned ' +
    'it. If one of the files has changed since, nothing is written and the error is `file_changed`. Fixes that touch the same text cannot ' +
    'both be applied. The later one is listed in `notFixed`, and so is a finding that is gone or has no fix.',
  access: 'api',
  keys: ['write-agent'],
  ownAgent: true,
  ofRoot: true,
  params: agentParams,
  headers: z.object({
    [ROOT_HEADER]: z.string().optional().describe('The `rootId` of the root that was checked.'),
  }),
  body: z
    .strictObject({
      findings: z.array(findingPlace).min(1).max(MAX_FIXES).describe('The findings to fix.'),
      etags: z
        .partialRecord(z.enum(EDITABLE_FILES), z.string())
        .describe('The etag of each file in the response of the check, by the name of the file.'),
    })
    .refine(({ findings, etags }) => findings.every(({ file }) => etags[file] !== undefined), {
      path: ['etags'],
      message: 'etags must have the etag of the file of each finding.',
    }),
  success: {
    status: 200,
    body: z.object({
      ok,
      files: z
        .array(
          z.object({
            file: z
              .enum(EDITABLE_FILES)
              .describe('The name of a file, relative to the directory of the agent.'),
            etag,
            fixed: z.int().nonnegative().describe('How many findings were fixed in this file.'),
          }),
        )
        .describe('The files that were written, with their new etags and the number of findings fixed.'),
      notFixed: z.array(findingPlace).describe('The findings that were not fixed.'),
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

/** The response of {@link fixFindings}. */
export type FindingsFixed = z.infer<typeof fixFindings.success.body>;
