import { strings } from '../strings.ts';

/** Stands in for what is being read; shows itself only when that takes a while. */
export const Loading = () => (
  <div role="status" className="appear-late flex min-h-full items-center justify-center p-6 text-muted">
    {strings.common.loading}
  </div>
);
