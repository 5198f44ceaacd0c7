import { useMemo } from 'react';
import { encode } from 'uqr';

/** Modules of white around the code; the standard asks for four. */
const QUIET_ZONE = 4;

/** The dark modules as one path: a rectangle for each run in a row. */
const pathOf = (rows: readonly (readonly boolean[])[]): string =>
  rows
    .flatMap((row, y) =>
      row.flatMap((isDark, x) => {
        if (!isDark || row[x - 1]) return [];
        const end = row.indexOf(false, x);
        const length = (end < 0 ? row.length : end) - x;
        return `M${x} ${y}h${length}v1h-${length}z`;
      }),
    )
    .join('');

/** A text as a QR code, dark on light in both themes. Throws when the text is too long for one. */
export const QrCode = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const { path, size } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE });
    return { path: pathOf(data), size };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="aspect-square w-full rounded-md bg-qr-paper fill-qr-ink forced-color-adjust-none"
    >
      <path d={path} />
    </svg>
  );
};
