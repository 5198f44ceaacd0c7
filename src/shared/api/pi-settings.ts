import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { message, ok } from './fields.ts';
import { FORM_READ_ERRORS, FORM_WRITE_ERRORS, formEtag, formEtagHeader, formHeaders } from './form-files.ts';

/** How a setting is edited. */
export const SETTING_KINDS = ['switch', 'choice', 'number', 'text', 'list', 'json'] as const;

/** The keys from the top of settings.json to a setting, such as `["compaction", "enabled"]`. */
const path = z.array(z.string().min(1).max(200)).min(1).max(4);

const settingValue = z.json();

const piSetting = z
  .object({
    path: path.describe('The keys from the top of settings.json.'),
    kind: z
      .enum(SETTING_KINDS)
      .describe(
        '`switch`: true or false. `choice`: one of `options`. `number`: a number, or one of `options`. `list`: texts. `json`: anything else.',
      ),
    description: z.string().optional().describe('The description in pi’s own schema.'),
    options: z.array(settingValue).optional().describe('The values that pi accepts.'),
    minimum: z.number().optional().describe('The smallest number.'),
    maximum: z.number().optional().describe('The largest number.'),
    isInteger: z.literal(true).optional().describe('Only whole numbers.'),
    default: settingValue
      .optional()
      .describe('The value that pi uses while it is not set. Absent if the schema doesn’t say.'),
    value: settingValue.optional().describe('The value in the file. Absent if it is not set, or hidden.'),
    isHidden: z
      .literal(true)
      .optional()
      .describe('The value may hold a secret, so the API never shows it. It can be replaced or removed.'),
    isRefused: z.literal(true).optional().describe('pi does not accept the value in the file.'),
  })
  .meta({ id: 'PiSetting' });

/** A setting that pi reads from settings.json, and its value. */
export type PiSetting = z.infer<typeof piSetting>;

const agentSettings = z
  .object({
    exists: z.boolean().describe('True if the agent has a settings.json.'),
    etag: formEtag('settings.json'),
    problem: message.optional().describe('Why pi ignores the whole file. Absent if it reads it.'),
    settings: z.array(piSetting).describe('Every setting that pi 1.5 knows, in the order of its schema.'),
    otherKeys: z
      .array(z.string())
      .describe('Keys of the file that pi does not know, without their values. A change keeps them.'),
  })
  .meta({ id: 'AgentPiSettings' });

/** The pi settings of an agent. */
export type AgentPiSettings = z.infer<typeof agentSettings>;

/** Reads the pi settings of an agent. */
export const getPiSettings = defineEndpoint({
  id: 'pi-settings.get',
  method: 'GET',
  path: '/api/agents/:id/settings',
  summary: 'List the pi settings of an agent',
  description:
    "Every setting of pi 1.5's own schema but `packages`, with its default and the value in the agent's settings.json. " +
    'A value that may hold a secret is hidden.',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  success: { status: 200, body: agentSettings, headers: formEtagHeader },
  errors: FORM_READ_ERRORS,
});

const settingChange = z
  .strictObject({
    path: path.describe('The keys from the top of settings.json.'),
    value: settingValue
      .optional()
      .describe('The new value. Without it, the setting is removed, and pi uses its default.'),
  })
  .meta({ id: 'PiSettingChange' });

/** A change of one setting. */
export type PiSettingChange = z.infer<typeof settingChange>;

const written = z.object({
  ok,
  etag: formEtag('settings.json'),
});

/** Changes pi settings of an agent. */
export const changePiSettings = defineEndpoint({
  id: 'pi-settings.change',
  method: 'PUT',
  path: '/api/agents/:id/settings',
  summary: 'Change pi settings of an agent',
  description:
    'Sets or removes the settings that the body names, all or none. Every other byte of settings.json stays. ' +
    'Send `If-Match` with the etag you read, so that you don’t overwrite the edit of another program. ' +
    'pi reads them when it starts.',
  access: 'api',
  keys: ['write-agent'],
  ownAgent: true,
  ofRoot: true,
  params: agentParams,
  headers: formHeaders('settings.json'),
  body: z.strictObject({
    changes: z.array(settingChange).min(1).max(100).describe('The settings to change, in this order.'),
  }),
  success: { status: 200, body: written, headers: formEtagHeader },
  errors: [...FORM_WRITE_ERRORS, 'pi_settings_unreadable', 'pi_setting_unknown', 'pi_setting_refused'],
});

/** Undoes a change of an agent's pi settings. */
export const undoPiSettings = defineEndpoint({
  id: 'pi-settings.undo',
  method: 'POST',
  path: '/api/agents/:id/settings/undo',
  summary: 'Undo a change of the pi settings of an agent',
  description:
    'Puts settings.json back byte for byte, if it has not changed since. This also undoes a change of its packages. dot-mi remembers the last changes until it ends.',
  access: 'api',
  keys: ['write-agent'],
  ownAgent: true,
  ofRoot: true,
  params: agentParams,
  body: z.strictObject({ etag: z.string().describe('The etag in the response of the change.') }),
  success: { status: 200, body: written, headers: formEtagHeader },
  errors: [...FORM_WRITE_ERRORS, 'nothing_to_undo'],
});
