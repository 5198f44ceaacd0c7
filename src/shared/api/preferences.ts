import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

/** The names of the operator's preferences that the page remembers. */
export const PREFERENCES = [
  'theme',
  'line-numbers',
  'recent',
  'last-agent',
  'first-steps',
  'favorite-models',
  'count-subscriptions',
] as const;

export type PreferenceName = (typeof PREFERENCES)[number];

const text = z.string().max(16_384);
const names = z.enum(PREFERENCES);

const kept = z.object({
  preferences: z
    .partialRecord(names, text)
    .describe('The preferences by name, in the page’s own format. Preferences that nobody chose are absent.'),
});

/** The operator's preferences by name. Names that nobody set are absent. */
export type Preferences = z.infer<typeof kept>['preferences'];

/** Returns all preferences. */
export const getPreferences = defineEndpoint({
  id: 'preferences.get',
  method: 'GET',
  path: '/api/preferences',
  summary: 'Read what the page remembers',
  description:
    'Returns the theme, what was opened last, and so on. The server stores these, because a browser forgets them when the page’s address changes.',
  access: 'operator',
  keys: 'none',
  success: { status: 200, body: kept },
  errors: [],
});

/** Sets and removes preferences by name. */
export const changePreferences = defineEndpoint({
  id: 'preferences.change',
  method: 'PUT',
  path: '/api/preferences',
  summary: 'Change what the page remembers',
  description: 'Absent preferences stay the same. Null removes one.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    preferences: z.partialRecord(names, text.nullable()).describe('The preferences to change, by name.'),
  }),
  success: { status: 200, body: kept },
  errors: ['disk_full'],
});
