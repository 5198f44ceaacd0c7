import schema from '../../src/server/catalog/theme.schema.json' with { type: 'json' };

/** A theme that pi accepts, with these changes. A color without a value is left out. */
export const themeText = (
  name: unknown,
  {
    colors = {},
    ...more
  }: { readonly colors?: Readonly<Record<string, unknown>>; readonly [key: string]: unknown } = {},
): string =>
  JSON.stringify({
    name,
    ...more,
    colors: {
      ...Object.fromEntries(schema.properties.colors.required.map((color) => [color, ''])),
      ...colors,
    },
  });
