import { common } from '../strings/common.ts';

/** Marks unsaved text. Screen readers read the mark as part of its tab's or row's name. */
export const UnsavedDot = () => (
  <span className="shrink-0 text-accent" data-details={common.unsaved}>
    <span aria-hidden="true" className="block size-1.75 rounded-full bg-current" />
    <span className="sr-only">{common.unsaved}</span>
  </span>
);
