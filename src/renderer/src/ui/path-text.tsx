import { Fragment } from 'react';
import { cx } from './cx.ts';

/**
 * A path that breaks after a "/" or "\\" first, and within a name only if it is too long. Copies unchanged.
 */
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
