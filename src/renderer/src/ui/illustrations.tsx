// Illustrations for empty views, in their own file because several views share them.

/** Two agents and a coin between them. Drawn with design tokens, so it fits both themes. */
export const AgentsArt = () => (
  <svg aria-hidden="true" viewBox="0 0 240 84" className="h-21 w-60 max-w-full">
    <path
      d="M48 60C82 12 158 12 192 60"
      fill="none"
      strokeWidth="2"
      strokeDasharray="2 7"
      strokeLinecap="round"
      className="stroke-line-strong"
    />
    <circle cx="120" cy="22" r="11" className="fill-glow" />
    <path d="M120 17v10" strokeWidth="2.5" strokeLinecap="round" className="stroke-canvas" />
    <g strokeWidth="2" strokeLinecap="round" className="stroke-accent">
      <path d="M48 46v-7M192 46v-7" />
      <rect x="26" y="46" width="44" height="36" rx="11" className="fill-accent-soft" />
      <rect x="170" y="46" width="44" height="36" rx="11" className="fill-accent" />
    </g>
    <g className="fill-accent">
      <circle cx="40" cy="63" r="3.5" />
      <circle cx="56" cy="63" r="3.5" />
    </g>
    <g className="fill-on-accent">
      <circle cx="184" cy="63" r="3.5" />
      <circle cx="200" cy="63" r="3.5" />
    </g>
  </svg>
);
