/**
 * A ref that lets the element get focus while its text overflows, because with the keyboard, Safari scrolls only the
 * focused element.
 */
export const scrollsByKey = (element: HTMLElement | null): (() => void) | undefined => {
  if (element === null) return undefined;
  const resized = new ResizeObserver(() => {
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = element;
    if (scrollHeight > clientHeight || scrollWidth > clientWidth) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  });
  resized.observe(element);
  return () => resized.disconnect();
};
