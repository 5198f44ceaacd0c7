import { common } from '../strings/common.ts';

/** A placeholder while loading. It appears only if loading takes a while. */
export const Loading = () => (
  <div role="status" className="appear-late flex min-h-full items-center justify-center p-6 text-muted">
    {common.loading}
  </div>
);
