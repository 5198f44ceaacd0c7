// Illustrations for empty views, which load later. Those for the first view are in illustrations.tsx.
import type { ReactNode } from 'react';

/** An illustration drawn with design tokens, so that it fits both themes. */
const Art = ({ children }: { readonly children: ReactNode }) => (
  <svg
    aria-hidden="true"
    viewBox="0 0 160 84"
    className="h-21 w-40"
    fill="none"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    {children}
  </svg>
);

/** A shelf with two books and room for more. */
export const ShelfArt = () => (
  <Art>
    <path d="M28 76h104" className="stroke-line-strong" />
    <rect x="42" y="26" width="18" height="50" rx="4" className="fill-accent-soft stroke-accent" />
    <rect x="66" y="34" width="16" height="42" rx="4" className="fill-accent stroke-accent" />
    <path d="M47 38h8M71 46h6" className="stroke-line-strong" />
    <rect x="92" y="30" width="22" height="46" rx="4" strokeDasharray="2 7" className="stroke-line-strong" />
  </Art>
);

/** Two cards that aren't connected yet. */
export const LinkArt = () => (
  <Art>
    <rect x="14" y="28" width="44" height="36" rx="9" className="fill-accent-soft stroke-accent" />
    <path d="M26 41h20M26 51h12" className="stroke-accent" />
    <path d="M64 46h32" strokeDasharray="2 7" className="stroke-line-strong" />
    <rect x="102" y="28" width="44" height="36" rx="9" strokeDasharray="2 7" className="stroke-line-strong" />
  </Art>
);

/** A list with a checkmark. */
export const TickArt = () => (
  <Art>
    <rect x="46" y="10" width="60" height="66" rx="9" className="fill-accent-soft stroke-accent" />
    <path d="M60 28h32M60 42h32M60 56h14" className="stroke-line-strong" />
    <circle cx="106" cy="62" r="16" className="fill-ok stroke-canvas" strokeWidth="3" />
    <path d="m99 62 5 5 9-10" className="stroke-canvas" strokeWidth="2.5" />
  </Art>
);

/** A coin that falls into an open purse. */
export const PurseArt = () => (
  <Art>
    <path d="M80 34v10" strokeDasharray="2 7" className="stroke-line-strong" />
    <circle cx="80" cy="20" r="11" className="fill-glow" />
    <path d="M80 15v10" strokeWidth="2.5" className="stroke-canvas" />
    <path d="M44 48h72l-6 22a8 8 0 0 1-8 6H58a8 8 0 0 1-8-6z" className="fill-accent-soft stroke-accent" />
    <path d="M56 60h48" className="stroke-line-strong" />
  </Art>
);

/** A bin with its lid open. */
export const BinArt = () => (
  <Art>
    <path d="m54 26 46-10" className="stroke-accent" />
    <path d="m72 21-1-5 10-2 1 5" className="stroke-accent" />
    <path d="M56 34h48l-5 36a6 6 0 0 1-6 6H67a6 6 0 0 1-6-6z" className="fill-accent-soft stroke-accent" />
    <path d="M72 46v18M80 46v18M88 46v18" className="stroke-line-strong" />
  </Art>
);

/** A grid with a few cells in it. */
export const GridArt = () => (
  <Art>
    <rect x="44" y="10" width="72" height="66" rx="9" className="fill-accent-soft stroke-accent" />
    <path d="M68 10v66M92 10v66M44 32h72M44 54h72" className="stroke-line-strong" />
    <circle cx="80" cy="43" r="4" className="fill-accent" />
    <circle cx="104" cy="65" r="4" className="fill-accent" />
  </Art>
);

/** A price chart with a dotted line. */
export const PriceArt = () => (
  <Art>
    <path d="M36 12v62h92" className="stroke-line-strong" />
    <path d="M46 58 68 44l18 8 34-30" strokeDasharray="2 7" className="stroke-accent" />
    <circle cx="120" cy="22" r="7" className="fill-glow" />
  </Art>
);
