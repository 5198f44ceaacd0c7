import { z } from 'zod';

/** Entries to parse at a time. 10,000 agents take 15 ms or more, and a frame has only 16 ms. */
export const SLICE = 2_000;

/** Yields to waiting work, such as a frame. */
const giveWay = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

interface LongList {
  readonly name: string;
  readonly items: readonly unknown[];
  readonly item: z.core.$ZodType;
}

/** The first field whose list is longer than a slice. The contract doesn't limit the length of lists. */
const longListOf = (schema: z.ZodType, body: unknown): LongList | undefined => {
  if (!(schema instanceof z.ZodObject) || typeof body !== 'object' || body === null) return undefined;
  for (const [name, field] of Object.entries(schema.shape)) {
    const items: unknown = Reflect.get(body, name);
    if (field instanceof z.ZodArray && Array.isArray(items) && items.length > SLICE)
      return { name, items, item: field.element };
  }
  return undefined;
};

/**
 * Like `safeParse`, but yields between the slices of a long list and before the result. So neither reading
 * nor drawing it delays a frame. Parses a short answer at once. Returns undefined if the answer doesn't fit.
 */
export const parseInSlices = async (
  schema: z.ZodType,
  body: unknown,
  pause: () => Promise<void> = giveWay,
): Promise<{ readonly data: unknown } | undefined> => {
  const list = longListOf(schema, body);
  if (!list) return fitting(schema.safeParse(body));
  const rest = schema.safeParse({ ...Object(body), [list.name]: [] });
  if (!rest.success) return undefined;
  const slices = z.array(list.item);
  const parsed: unknown[][] = [];
  for (let at = 0; at < list.items.length; at += SLICE) {
    await pause();
    const slice = slices.safeParse(list.items.slice(at, at + SLICE));
    if (!slice.success) return undefined;
    parsed.push(slice.data);
  }
  await pause();
  return { data: { ...Object(rest.data), [list.name]: parsed.flat() } };
};

const fitting = (result: z.ZodSafeParseResult<unknown>) =>
  result.success ? { data: result.data } : undefined;
