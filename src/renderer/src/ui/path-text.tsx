import { Fragment } from 'react';
import { cx } from './cx.ts';

/**
 * Returns the end of a path, where paths differ: as many of its last segments as fit in `most` characters, at least
 * one. "…" replaces the other segments. A Windows path keeps its separator.
 */
export const endOfPath = (path: string, most: number): string => {
  if (path.length <= most) return path;
  const names = path.split(/(?=[/\\])/);
  let end = names.pop() ?? '';
  for (let name = names.pop(); name !== undefined && 1 + name.length + end.length <= most; name = names.pop())
    end = name + end;
  return `…${end}`;
};

/** A path that wraps after a "/" or "\\", and within a segment only if that's too long. It copies unchanged. */
export const PathText = ({ path, className }: { readonly path: string; readonly className?: string }) => {
  const parts = path.split(/(?<=[/\\])(?![/\\])/);
  return (
    <span className={cx('wrap-anywhere', className)}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: only their position identifies the parts of a path
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
};
