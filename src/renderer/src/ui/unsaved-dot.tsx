import { common } from '../strings/common.ts';

/** The mark of unsaved text. It's part of the name of its tab or row. */
export const UnsavedDot = () => (
  <span className="shrink-0 text-accent" data-details={common.unsaved}>
    <span aria-hidden="true" className="block size-1.75 rounded-full bg-current" />
    <span className="sr-only">{common.unsaved}</span>
  </span>
);
