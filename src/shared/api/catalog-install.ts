import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { ok, okBody } from './fields.ts';

/** The skill that ships with dot-mi. It teaches agents this API. */
export const BUNDLED_SKILL = 'dot-mi';

const path = '/api/catalog/skills/dot-mi/install';

/** Adds the skill that ships with dot-mi to the shared skills. */
export const installSkill = defineEndpoint({
  id: 'catalog.skills.install',
  method: 'POST',
  path,
  summary: 'Add the skill dot-mi to the shared skills',
  description:
    'The skill teaches agents this API. Another skill of this name is never overwritten. Link it to agents with POST /api/links/bulk.',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  success: {
    status: 200,
    body: z.object({
      ok,
      created: z.boolean().describe('False if the root already had this very skill.'),
      path: z.string().describe('Its directory, relative to the root, with "/".'),
    }),
  },
  errors: ['skill_differs', 'not_a_directory', 'outside_root', 'root_unavailable'],
});

/** Removes the skill that {@link installSkill} added. */
export const uninstallSkill = defineEndpoint({
  id: 'catalog.skills.uninstall',
  method: 'DELETE',
  path,
  summary: 'Remove the skill dot-mi, if nothing in it was changed',
  description: 'Adding it again restores it, byte for byte. Links of agents to it are broken until then.',
  access: 'api',
  keys: 'none',
  ofRoot: true,
  success: { status: 200, body: okBody },
  errors: ['skill_differs', 'shared_entry_not_found', 'outside_root'],
});
