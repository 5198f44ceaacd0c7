import { z } from 'zod';

/** The shape of the file that this version writes. */
export const SETTINGS_VERSION = 1;

/** Where the window was, in device-independent pixels. */
const bounds = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

/** What {@link Settings} keeps. Unknown fields are of a newer version, and stay. */
export const settingsSchema = z.looseObject({
  version: z.literal(SETTINGS_VERSION),
  window: z
    .object({ bounds, isMaximized: z.boolean(), zoomLevel: z.number().min(-8).max(9) })
    .partial()
    .optional(),
  preferences: z.object({ closeToTray: z.boolean(), checkForUpdates: z.boolean() }).partial().optional(),
  /** The settings of the server; what is possible there is for the server to say. */
  server: z.unknown().optional(),
});

/** What {@link settingsSchema} describes. */
export type SettingsShape = z.infer<typeof settingsSchema>;

/** Where the window was, and how it looked. */
export type WindowState = NonNullable<SettingsShape['window']>;

/** One of {@link WindowState}. */
export type WindowBounds = z.infer<typeof bounds>;

/** From the shape of each version to the next; entry n starts from version n. Entries are only ever added. */
const MIGRATIONS: readonly ((old: Record<string, unknown>) => Record<string, unknown>)[] = [
  // Before versions were counted the bounds of the window stood alone.
  ({ windowBounds, damagedServer: _, ...rest }) => ({
    ...rest,
    ...(windowBounds === undefined ? {} : { window: { bounds: windowBounds } }),
    version: 1,
  }),
];

/** Brings what a file of any earlier version says to today's shape; it is still to be checked. */
export const migrateSettings = (read: unknown): unknown => {
  const file = z.looseObject({ version: z.int().min(0).default(0) }).parse(read);
  return MIGRATIONS.slice(file.version).reduce<Record<string, unknown>>(
    (shape, migrate) => migrate(shape),
    file,
  );
};
