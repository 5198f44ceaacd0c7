import { PreparedBody } from './prepared-body.ts';

/** Derives the body that other readers get from a list's whole body. */
interface ShownBodies<Body> {
  /** Returns the same object for the same body. */
  of(body: PreparedBody<Body>): PreparedBody<Body>;
}

/** Creates {@link ShownBodies}, which derives each body once. */
export const createShownBodies = <Body>(shown: (body: Body) => Body): ShownBodies<Body> => {
  const derived = new WeakMap<PreparedBody<Body>, PreparedBody<Body>>();
  return {
    of(body) {
      const known = derived.get(body);
      if (known) return known;
      const json = JSON.stringify(shown(JSON.parse(body.json.toString()) as Body));
      const found = new PreparedBody<Body>(new TextEncoder().encode(json));
      derived.set(body, found);
      return found;
    },
  };
};
