import { Fragment } from 'react';
import { cx } from './cx.ts';

/** A path as text that breaks after a "/" or "\\" first, and within a name only where one is too long; copied, it is unchanged. */
export const PathText = ({ path, className }: { readonly path: string; readonly className?: string }) => {
  const parts = path.split(/(?<=[/\\])(?![/\\])/);
  return (
    <span className={cx('wrap-anywhere', className)}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a path are told apart by where they are
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
};
