import { z } from 'zod';

/** How bad a finding is, worst first. Only an `error` keeps something from working. */
export const SEVERITIES = ['error', 'warning', 'hint'] as const;

/** One of {@link SEVERITIES}. */
export type Severity = (typeof SEVERITIES)[number];

/** A position in a text. Lines and columns count from 1, columns in UTF-16 code units. */
const position = { line: z.int().positive(), column: z.int().positive() };

const checkEdit = z
  .object({
    ...position,
    endLine: z.int().positive(),
    endColumn: z.int().positive(),
    text: z.string().describe('The new text of the range, with the line ends of the file.'),
  })
  .meta({ id: 'CheckEdit' });

/** A replacement of a range of one file, of the finding's file. */
export type CheckEdit = z.infer<typeof checkEdit>;

const finding = z
  .object({
    rule: z.string().describe('The id of the rule. docs/checks.md describes each.'),
    severity: z.enum(SEVERITIES),
    file: z.string().describe("Relative to the agent's or the skill's directory, with `/`."),
    ...position,
    endLine: z.int().positive(),
    endColumn: z.int().positive(),
    message: z.string(),
    fix: z
      .object({
        title: z.string(),
        safe: z
          .boolean()
          .describe('True if the fix changes nothing else, so that no one has to read it first.'),
        edits: z.array(checkEdit),
      })
      .optional()
      .describe('Absent if only a person can fix it.'),
  })
  .meta({ id: 'Finding' });

/** Something that is wrong in an agent or a skill, with its place. */
export type Finding = z.infer<typeof finding>;
