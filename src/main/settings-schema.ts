import { z } from 'zod';
import { THEMES } from '../shared/desktop-bridge.ts';

/** The format version that this program writes. */
export const SETTINGS_VERSION = 1;

/** The window's place, in device-independent pixels. */
const bounds = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

/** The data that {@link Settings} keeps. Unknown fields belong to a newer version, and stay. */
export const settingsSchema = z.looseObject({
  version: z.literal(SETTINGS_VERSION),
  window: z
    .object({ bounds, isMaximized: z.boolean(), zoomLevel: z.number().min(-8).max(9) })
    .partial()
    .optional(),
  theme: z.enum(THEMES).optional(),
  preferences: z
    .object({
      closeToTray: z.boolean(),
      checkForUpdates: z.boolean(),
      notifications: z
        .object({
          payments: z.boolean(),
          attention: z.boolean(),
          mint: z.boolean(),
          budgets: z.boolean(),
          updates: z.boolean(),
        })
        .partial(),
    })
    .partial()
    .optional(),
  /** The server's settings. The server decides which values are possible. */
  server: z.unknown().optional(),
});

/** The data that {@link settingsSchema} describes. */
export type SettingsShape = z.infer<typeof settingsSchema>;

/** The window's place and state. */
export type WindowState = NonNullable<SettingsShape['window']>;

/** The bounds in a {@link WindowState}. */
export type WindowBounds = z.infer<typeof bounds>;

/** From the shape of each version to the next. Entry n starts from version n. Only add entries. */
const MIGRATIONS: readonly ((old: Record<string, unknown>) => Record<string, unknown>)[] = [
  // Before versions were counted, the window's bounds were a field of their own.
  ({ windowBounds, damagedServer: _, ...rest }) => ({
    ...rest,
    ...(windowBounds === undefined ? {} : { window: { bounds: windowBounds } }),
    version: 1,
  }),
];

/** Brings a file of any earlier version to today's shape, without checking the result. */
export const migrateSettings = (read: unknown): unknown => {
  const file = z.looseObject({ version: z.int().min(0).default(0) }).parse(read);
  return MIGRATIONS.slice(file.version).reduce<Record<string, unknown>>(
    (shape, migrate) => migrate(shape),
    file,
  );
};
