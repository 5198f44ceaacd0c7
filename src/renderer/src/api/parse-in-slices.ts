import { z } from 'zod';

/** How many entries are parsed at a time: 10,000 agents take 15 ms and more of a thread that has 16 for a frame. */
export const SLICE = 2_000;

/** Lets whatever waits, a frame among it, come in between. */
const giveWay = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

interface LongList {
  readonly name: string;
  readonly items: readonly unknown[];
  readonly item: z.core.$ZodType;
}

/** The first field that is a list of more than a slice; the contract has no rules for how long its lists are. */
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
 * As `safeParse`, but gives way between the slices of a long list, and before what comes of it: so that reading it, and
 * drawing it, hold up no frame. A short answer is parsed at once. Undefined is what does not fit.
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
