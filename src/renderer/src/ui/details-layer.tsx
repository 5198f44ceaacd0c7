import { Tooltip } from '@base-ui/react/tooltip';
import { useEffect, useId, useRef, useState } from 'react';
import { cx } from './cx.ts';

/** As for the names of buttons with icons only. */
const DELAY_MS = 400;
/** The time to move the pointer from an element to its details. */
const LEAVE_MS = 100;

interface Shown {
  readonly anchor: HTMLElement;
  readonly lines: readonly string[];
  /** Whether the focus opened it, so that screen readers read it with the element. */
  readonly isFocused: boolean;
}

const isCut = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }: Element): boolean =>
  clientWidth > 0 && (scrollWidth > clientWidth || scrollHeight > clientHeight + 1);

/** The details of an element: its `data-details`, or all of its text if that is empty and the text is cut off. */
const detailsOf = (element: HTMLElement): readonly string[] => {
  const { details } = element.dataset;
  if (details) return [details];
  const parts = [element, ...element.querySelectorAll('.truncate')];
  return parts.some(isCut) ? [element.textContent] : [];
};

/** The details that the focus on an element shows: its own, or those of the row that it opens. */
const focusedDetails = (element: HTMLElement): readonly string[] => {
  // The options of a list are many. It shows those of the active one.
  if (element.tabIndex === 0 && COMPOSITES.includes(element.role ?? '')) return [];
  const isRow = element.dataset.showsRow !== undefined;
  const group = (isRow && element.closest<HTMLElement>('[data-details-row]')) || element;
  const marked = [group, ...group.querySelectorAll<HTMLElement>('[data-details]')];
  // A narrow window hides some cells, and what is hidden from screen readers is for the pointer.
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

/** The active option of the list or grid with the focus. */
const activeOption = (): HTMLElement | null => {
  const id = document.activeElement?.getAttribute('aria-activedescendant');
  return id ? document.getElementById(id) : null;
};

/** The element with details under the pointer. A link can cover its whole row. */
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
 * Shows the details of any element with `data-details` under the pointer, with the keyboard's focus, and of the option
 * that the arrow keys make active. The whole page has one layer, because a tooltip for each cell of a long table is
 * slow. An element with
 * `data-shows-row` shows the details of its whole `data-details-row`, whose other cells can't have the focus.
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
      // A page gets the focus so that Tab starts there. The details of its parts aren't its own.
      if (target.tabIndex < 0) return;
      clearTimeout(timer);
      show(target, focusedDetails(target), true);
    };
    const onFocusIn = ({ target }: FocusEvent): void => onFocus(target);
    /** The focus stays where it is, and its details move with it. */
    const onScroll = (): void => setShown((before) => (before?.isFocused ? before : null));
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') hide();
      if (!activeOption()) return;
      hide();
      if (!NAVIGATION_KEYS.includes(key)) return;
      // Only where the keys come to rest. The list has moved by then.
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
    // The focus may have moved before this code was loaded.
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
          // Details that the focus shows aren't for the pointer, and can cover what it is about to press.
          className={cx(
            'z-20 data-anchor-hidden:invisible',
            last.current?.isFocused && 'pointer-events-none',
          )}
        >
          <Tooltip.Popup
            ref={popup}
            id={id}
            role="tooltip"
            // Screen readers read it as the description of the focused element, and never on its own.
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
