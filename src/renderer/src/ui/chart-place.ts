/** Reads a color of the design tokens in the form that a canvas needs, which knows neither `var()` nor `light-dark()`. */
export const resolveColor = (place: HTMLElement, value: string): string => {
  place.style.color = value;
  const { color } = getComputedStyle(place);
  place.style.color = '';
  return color;
};

/** A chart before it is drawn. */
export interface ChartPlace<Colors> {
  readonly width: number;
  readonly height: number;
  readonly fontFamily: string;
  /** Called for each drawing, so that a redraw is enough after a change of theme. */
  readonly colors: () => Colors;
}
