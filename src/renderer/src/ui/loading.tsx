import { common } from '../strings/common.ts';

/** A placeholder during a read. It appears only when the read takes a while. */
export const Loading = () => (
  <div role="status" className="appear-late flex min-h-full items-center justify-center p-6 text-muted">
    {common.loading}
  </div>
);
