import type { ReactNode } from 'react';
import { Banners } from './banners.tsx';
import { useApiStatus } from './use-api-status.ts';
import type { Move } from './use-move.ts';

interface FrameProps {
  readonly move: Move;
  readonly children: ReactNode;
}

/** The window: what counts for every page, and below it what is shown, with the rail or, in the first run, without. */
export const Frame = ({ move, children }: FrameProps) => (
  <div className="flex h-full flex-col">
    <Banners status={useApiStatus()} move={move} />
    {children}
  </div>
);
