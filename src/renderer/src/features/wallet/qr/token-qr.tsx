import { ChevronLeft, ChevronRight, Pause, Play } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { encode } from 'uqr';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { type UrParts, urParts } from './ur.ts';

/** How long each part is shown: long enough for an old phone's camera, and no longer. */
const PART_MS = 220;

const reducedMotion = window.matchMedia('(prefers-reduced-motion: reduce)');
const subscribe = (listener: () => void): (() => void) => {
  reducedMotion.addEventListener('change', listener);
  return () => reducedMotion.removeEventListener('change', listener);
};

/** An endless sequence of parts, shown one after another. */
interface Playback {
  /** From 1. */
  readonly part: number;
  readonly isPlaying: boolean;
  readonly toggle: () => void;
  /** Moves by this many parts, and pauses. */
  readonly step: (by: number) => void;
}

/** Plays parts from the first one on. With reduced motion, it starts paused. */
const usePlayback = (): Playback => {
  const isReduced = useSyncExternalStore(subscribe, () => reducedMotion.matches);
  const [part, setPart] = useState(1);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const isPlaying = chosen ?? !isReduced;
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => setPart((shown) => shown + 1), PART_MS);
    return () => clearInterval(timer);
  }, [isPlaying]);
  return {
    part,
    isPlaying,
    toggle: () => setChosen(!isPlaying),
    step: (by) => {
      setChosen(false);
      setPart((shown) => Math.max(1, shown + by));
    },
  };
};

/** White modules around the code. The standard requires four. */
const QUIET_ZONE = 4;

/** Returns the dark modules as one path: a rectangle for each run in a row. */
const pathOf = (rows: readonly (readonly boolean[])[]): string =>
  rows
    .flatMap((row, y) =>
      row.flatMap((isDark, x) => {
        if (!isDark || row[x - 1]) return [];
        const end = row.indexOf(false, x);
        const length = (end < 0 ? row.length : end) - x;
        return `M${x} ${y}h${length}v1h-${length}z`;
      }),
    )
    .join('');

/** Renders text as a QR code, dark on light in both themes. Throws if the text is too long. */
const QrCode = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const { path, size } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'L', border: QUIET_ZONE });
    return { path: pathOf(data), size };
  }, [text]);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="aspect-square w-full rounded-md bg-qr-paper fill-qr-ink forced-color-adjust-none"
    >
      <path d={path} />
    </svg>
  );
};

/** A longer token needs a code of more than 105 modules, which many phone cameras can't resolve. */
const LONGEST_STATIC = 1_000;
/** Other wallets use the same size. It makes a code of about 65 modules. */
const FRAGMENT_BYTES = 150;

/** A token as a QR code, or as an animated sequence if it's too large for one (NUT-16). */
export const TokenQr = ({ token }: { readonly token: string }) => {
  const parts = useMemo(
    () => (token.length > LONGEST_STATIC ? urParts(new TextEncoder().encode(token), FRAGMENT_BYTES) : null),
    [token],
  );
  const place = useRef<HTMLDivElement>(null);
  // The code opens below the button, often offscreen.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={place} className="flex w-full max-w-88 scroll-my-4 flex-col gap-2">
      {parts ? <AnimatedQr parts={parts} /> : <QrCode text={token} label={words.token.qr} />}
    </div>
  );
};

const AnimatedQr = ({ parts }: { readonly parts: UrParts }) => {
  const { part, isPlaying, toggle, step } = usePlayback();
  const Icon = isPlaying ? Pause : Play;
  return (
    <>
      <QrCode
        text={parts.part(part)}
        label={isPlaying ? words.token.qr : words.token.qrPart(part, parts.count)}
      />
      <div className="flex items-center gap-1.5">
        <Button size="small" onClick={toggle}>
          <Icon aria-hidden="true" className="size-3" />
          {isPlaying ? words.token.pause : words.token.play}
        </Button>
        <Button variant="quiet" size="icon" aria-label={words.token.previous} onClick={() => step(-1)}>
          <ChevronLeft aria-hidden="true" className="size-3.5" />
        </Button>
        <Button variant="quiet" size="icon" aria-label={words.token.next} onClick={() => step(1)}>
          <ChevronRight aria-hidden="true" className="size-3.5" />
        </Button>
        {/* Announced only when the person steps through parts, not five times a second. */}
        <p role="status" aria-live={isPlaying ? 'off' : 'polite'} className="text-sm text-muted tabular-nums">
          {words.token.part(part, parts.count)}
        </p>
      </div>
      <p className="text-sm text-pretty text-muted">{words.token.animatedHint}</p>
    </>
  );
};
