import { Tooltip } from '@base-ui/react/tooltip';
import { useEffect, useId, useRef, useState } from 'react';
import { cx } from './cx.ts';

/** The delay before details appear, the same as for the names of icon buttons. */
const DELAY_MS = 400;
/** The time to move the pointer from an element to its details. */
const LEAVE_MS = 100;

interface Shown {
  readonly anchor: HTMLElement;
  readonly lines: readonly string[];
  /** True if focus opened the details, so that screen readers announce them with the element. */
  readonly isFocused: boolean;
}

const isCut = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }: Element): boolean =>
  clientWidth > 0 && (scrollWidth > clientWidth || scrollHeight > clientHeight + 1);

/** Returns an element's details: its `data-details` or, if that's empty, its entire text if the text is cut off. */
const detailsOf = (element: HTMLElement): readonly string[] => {
  const { details } = element.dataset;
  if (details) return [details];
  const parts = [element, ...element.querySelectorAll('.truncate')];
  return parts.some(isCut) ? [element.textContent] : [];
};

/** Returns the details to show for a focused element: its own, or its entire row's if it opens the row. */
const focusedDetails = (element: HTMLElement): readonly string[] => {
  // A list has many options, so it shows only the active one's details.
  if (element.tabIndex === 0 && COMPOSITES.includes(element.role ?? '')) return [];
  const isRow = element.dataset.showsRow !== undefined;
  const group = (isRow && element.closest<HTMLElement>('[data-details-row]')) || element;
  const marked = [group, ...group.querySelectorAll<HTMLElement>('[data-details]')];
  // Skip cells that a narrow window hides, and pointer-only content that screen readers skip.
  return marked
    .filter(
      (part) =>
        part.dataset.details !== undefined && part.checkVisibility() && !part.closest('[aria-hidden="true"]'),
    )
    .flatMap(detailsOf);
};

const COMPOSITES = ['listbox', 'grid'];

const NAVIGATION_KEYS = [
  'ArrowUp',
  'ArrowDown',
  'ArrowLeft',
  'ArrowRight',
  'Home',
  'End',
  'PageUp',
  'PageDown',
];

/** Returns the active option of the focused list or grid. */
const activeOption = (): HTMLElement | null => {
  const id = document.activeElement?.getAttribute('aria-activedescendant');
  return id ? document.getElementById(id) : null;
};

/** Returns the element with details under the pointer. A link can cover its entire row. */
const markedAt = (target: Element, { clientX, clientY }: PointerEvent): HTMLElement | null => {
  const marked = target.closest<HTMLElement>('[data-details]');
  if (marked || !target.closest('[data-shows-row]')) return marked;
  return (
    document
      .elementsFromPoint(clientX, clientY)
      .find(
        (part): part is HTMLElement => part instanceof HTMLElement && part.dataset.details !== undefined,
      ) ?? null
  );
};

/**
 * Shows the details of any element with `data-details` that is under the pointer or has keyboard focus, and of the
 * active option. The page has only one layer, because a tooltip for each cell of a long table is slow. An element
 * with `data-shows-row` shows the details of its entire `data-details-row`, whose other cells can't have focus.
 */
export const DetailsLayer = () => {
  const id = useId();
  const popup = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  /** Kept while the popup fades. */
  const last = useRef(shown);
  if (shown) last.current = shown;

  useEffect(() => {
    let hovered: HTMLElement | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = (run: () => void, afterMs: number): void => {
      clearTimeout(timer);
      timer = setTimeout(run, afterMs);
    };
    const hide = (): void => {
      clearTimeout(timer);
      hovered = null;
      setShown(null);
    };
    const show = (anchor: HTMLElement, lines: readonly string[], isFocused: boolean): void =>
      setShown(lines.length > 0 && anchor.isConnected ? { anchor, lines, isFocused } : null);
    const onPointerMove = (event: PointerEvent): void => {
      const { target, pointerType } = event;
      if (pointerType === 'touch' || !(target instanceof Element)) return;
      if (popup.current?.contains(target)) {
        clearTimeout(timer);
        return;
      }
      const element = markedAt(target, event);
      if (element === hovered) return;
      hovered = element;
      later(() => {
        if (element) later(() => show(element, detailsOf(element), false), DELAY_MS - LEAVE_MS);
        setShown((before) => (before?.isFocused ? before : null));
      }, LEAVE_MS);
    };
    const onFocus = (target: EventTarget | null): void => {
      if (!(target instanceof HTMLElement) || !target.matches(':focus-visible')) return;
      // A page gets focus only so that Tab starts there, not to show its parts' details.
      if (target.tabIndex < 0) return;
      clearTimeout(timer);
      show(target, focusedDetails(target), true);
    };
    const onFocusIn = ({ target }: FocusEvent): void => onFocus(target);
    /** Hides only hover details: focused elements keep theirs, which move with them. */
    const onScroll = (): void => setShown((before) => (before?.isFocused ? before : null));
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') hide();
      if (!activeOption()) return;
      hide();
      if (!NAVIGATION_KEYS.includes(key)) return;
      // Wait until the keys stop and the list has scrolled.
      later(() => {
        const option = activeOption();
        if (option) show(option, focusedDetails(option), true);
      }, DELAY_MS);
    };
    document.addEventListener('pointermove', onPointerMove);
    document.addEventListener('focusin', onFocusIn);
    document.addEventListener('focusout', hide);
    document.addEventListener('pointerdown', hide);
    document.addEventListener('scroll', onScroll, true);
    document.addEventListener('keydown', onKey);
    // Focus may have moved before this code was loaded.
    onFocus(document.activeElement);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('pointermove', onPointerMove);
      document.removeEventListener('focusin', onFocusIn);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('pointerdown', hide);
      document.removeEventListener('scroll', onScroll, true);
      document.removeEventListener('keydown', onKey);
    };
  }, []);

  useEffect(() => {
    if (!shown?.isFocused || shown.anchor.hasAttribute('aria-describedby')) return;
    const { anchor } = shown;
    anchor.setAttribute('aria-describedby', id);
    return () => anchor.removeAttribute('aria-describedby');
  }, [shown, id]);

  useEffect(() => {
    if (!shown) return;
    const { anchor, isFocused } = shown;
    // A price may change while its details are open.
    const changes = new MutationObserver(() => {
      const lines = anchor.isConnected ? (isFocused ? focusedDetails : detailsOf)(anchor) : [];
      setShown((before) =>
        before?.anchor === anchor ? (lines.length > 0 ? { ...before, lines } : null) : before,
      );
    });
    const row = (isFocused && anchor.closest('[data-details-row]')) || anchor;
    changes.observe(row, { subtree: true, attributeFilter: ['data-details'], characterData: true });
    return () => changes.disconnect();
  }, [shown]);

  return (
    <Tooltip.Root open={shown !== null}>
      <Tooltip.Portal>
        <Tooltip.Positioner
          anchor={last.current?.anchor ?? null}
          side="bottom"
          align="start"
          sideOffset={4}
          // Details of a focused element let clicks through, because they can cover the pointer's next target.
          className={cx(
            'z-20 data-anchor-hidden:invisible',
            last.current?.isFocused && 'pointer-events-none',
          )}
        >
          <Tooltip.Popup
            ref={popup}
            id={id}
            role="tooltip"
            // Screen readers announce the details as the focused element's description, never separately.
            aria-hidden="true"
            className="max-w-120 rounded-md bg-ink px-2 py-1 text-sm wrap-anywhere text-canvas transition-opacity duration-100 data-starting-style:opacity-0"
          >
            {last.current?.lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: only their position identifies the lines
              <p key={index} className="line-clamp-10">
                {line}
              </p>
            ))}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
};
