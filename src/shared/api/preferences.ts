import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

/** What the page keeps for the operator. */
export const PREFERENCES = [
  'theme',
  'line-numbers',
  'recent',
  'last-agent',
  'first-steps',
  'last-links',
  'favorite-models',
] as const;

/** One of {@link PREFERENCES}. */
export type PreferenceName = (typeof PREFERENCES)[number];

const text = z.string().max(16_384);
const names = z.enum(PREFERENCES);

const kept = z.object({
  preferences: z
    .partialRecord(names, text)
    .describe("Texts by name, in the page's own format. Absent if nothing was chosen."),
});

/** What a person chose or opened on the page. */
export type Preferences = z.infer<typeof kept>['preferences'];

/** Reads what the page keeps. */
export const getPreferences = defineEndpoint({
  id: 'preferences.get',
  method: 'GET',
  path: '/api/preferences',
  summary: 'Read what the page remembers',
  description:
    'The theme, what was opened last and so on. The server keeps it, because a browser would forget it with the next address of the page.',
  access: 'operator',
  keys: 'none',
  success: { status: 200, body: kept },
  errors: [],
});

/** Changes what the page keeps. */
export const changePreferences = defineEndpoint({
  id: 'preferences.change',
  method: 'PUT',
  path: '/api/preferences',
  summary: 'Change what the page remembers',
  description: 'Absent names keep their text, and null removes it.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    preferences: z.partialRecord(names, text.nullable()).describe('Texts of the page, by name.'),
  }),
  success: { status: 200, body: kept },
  errors: ['disk_full'],
});
