import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { message } from './fields.ts';
import { FORM_READ_ERRORS, formEtag, formEtagHeader } from './form-files.ts';

/** The kinds of values that settings have. */
const SETTING_KINDS = ['switch', 'choice', 'number', 'text', 'list', 'json'] as const;

/** The keys from the top of settings.json to a setting, such as `["compaction", "enabled"]`. */
const path = z.array(z.string().min(1).max(200)).min(1).max(4);

const settingValue = z.json();

const piSetting = z
  .object({
    path: path.describe('The path of the setting: its keys, from the top level of settings.json down.'),
    kind: z
      .enum(SETTING_KINDS)
      .describe(
        '`switch`: true or false. `choice`: one of `options`. `number`: a number, or one of `options`. `text`: a string. `list`: a list of strings. `json`: any other value.',
      ),
    description: z.string().optional().describe('The description in pi’s schema. Absent if there is none.'),
    options: z
      .array(settingValue)
      .optional()
      .describe('The values that pi accepts. Absent if there is no such list.'),
    minimum: z.number().optional().describe('The smallest number that pi accepts. Absent if there is none.'),
    maximum: z.number().optional().describe('The largest number that pi accepts. Absent if there is none.'),
    isInteger: z
      .literal(true)
      .optional()
      .describe('True if pi accepts only whole numbers. Otherwise absent.'),
    default: settingValue
      .optional()
      .describe('The value that pi uses if the setting is missing. Absent if the schema doesn’t say.'),
    value: settingValue.optional().describe('The value in the file. Absent if it is missing or hidden.'),
    isHidden: z
      .literal(true)
      .optional()
      .describe(
        'True if the value may contain a secret, or if you don’t see values. The operator can replace or remove it. Otherwise absent.',
      ),
    isRefused: z
      .literal(true)
      .optional()
      .describe('True if pi refuses the value in the file. Otherwise absent.'),
  })
  .meta({ id: 'PiSetting' });

/** A setting that pi reads from settings.json, and its value. */
export type PiSetting = z.infer<typeof piSetting>;

const agentSettings = z
  .object({
    exists: z.boolean().describe('True if the agent has a settings.json.'),
    etag: formEtag('settings.json'),
    problem: message.optional().describe('Why pi ignores the whole file. Absent if pi uses it.'),
    settings: z.array(piSetting).describe('All settings that pi 1.6 knows, in the order of its schema.'),
    otherKeys: z
      .array(z.string())
      .describe('Keys in the file that pi doesn’t know, without their values. A change keeps them.'),
  })
  .meta({ id: 'AgentPiSettings' });

/** An agent's pi settings. */
export type AgentPiSettings = z.infer<typeof agentSettings>;

/** Reads an agent's pi settings. */
export const getPiSettings = defineEndpoint({
  id: 'pi-settings.get',
  method: 'GET',
  path: '/api/agents/:id/settings',
  summary: 'List an agent’s pi settings',
  description:
    'Lists all settings in pi 1.6’s schema except `packages`, with their defaults and the values in the agent’s settings.json. ' +
    'Hides values that may contain a secret. Without the operator token, hides all values.',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  success: { status: 200, body: agentSettings, headers: formEtagHeader },
  errors: FORM_READ_ERRORS,
});
