import type { EndpointShape } from '../../shared/api/endpoint.ts';
import { AppError } from '../platform/app-error.ts';
import { letterDistance } from '../platform/nearest-name.ts';
import { orList } from '../platform/words.ts';

/** Returns whether a request's caller can use an endpoint. `agentId` is the agent in the path. */
export type MayUse = (endpoint: EndpointShape, agentId?: string) => boolean;

/** An endpoint that a request may have meant, with its path filled in from the request. */
interface Candidate {
  readonly endpoint: EndpointShape;
  readonly path: string;
  readonly agentId: string | undefined;
  /** How far it is from the requested path. 0 if they're equal. */
  readonly distance: number;
}

/** No route has more. */
const MAX_SEGMENTS = 8;
/** An extra or missing segment counts less than a different word. */
const MISSING = 0.6;
const ADDED = 0.8;
/** A placeholder matches everything, so an exact word is closer. */
const FILLED = 0.2;
const MAX_DISTANCE = 1.2;
const MOST_NAMED = 3;

/** Returns the distance between two words. */
type WordDistance = (one: string, other: string) => number;

/**
 * Returns the {@link letterDistance} divided by the longer string's length. SECURITY: strangers choose the words, so those
 * of very different lengths aren't compared.
 */
const wordDistance: WordDistance = (one, other) => {
  if (one === other) return 0;
  const [shortest, longest] = [Math.min(one.length, other.length), Math.max(one.length, other.length)];
  return 2 * shortest < longest ? 1 : letterDistance(one, other) / longest;
};

/** Creates a {@link WordDistance} that compares two words once, because many routes have the same ones. */
const rememberDistances = (): WordDistance => {
  const known = new Map<string, number>();
  return (one, other) => {
    const name = `${one}/${other}`;
    const distance = known.get(name) ?? wordDistance(one, other);
    known.set(name, distance);
    return distance;
  };
};

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');

/** Returns whether a segment is a plain name, which a response can safely repeat. */
const isPlain = (segment: string) => /^[\w@.-]{1,64}$/.test(segment);

interface Step {
  distance: number;
  filled: readonly string[];
  /** True if the request contains one of the template's words. Placeholders alone don't count. */
  isAlike: boolean;
}

const add = (step: Step, distance: number, filled: string | undefined, isAlike: boolean): Step => ({
  distance: step.distance + distance,
  filled: filled === undefined ? step.filled : [...step.filled, filled],
  isAlike: step.isAlike || isAlike,
});

/** Finds the cheapest way to turn a path's segments into a template's. */
const align = (requested: readonly string[], template: readonly string[], distanceOf: WordDistance): Step => {
  let above: Step[] = [{ distance: 0, filled: [], isAlike: false }];
  for (const part of template) above.push(add(above.at(-1) as Step, MISSING, part, false));
  for (const segment of requested) {
    const row = [add(above[0] as Step, ADDED, undefined, false)];
    template.forEach((part, index) => {
      const isPlaceholder = part.startsWith(':');
      const cost = isPlaceholder ? FILLED : distanceOf(segment.toLowerCase(), part);
      const filled = isPlaceholder && isPlain(segment) ? segment : part;
      const steps = [
        add(above[index] as Step, cost, filled, !isPlaceholder && cost <= 0.5),
        add(above[index + 1] as Step, ADDED, undefined, false),
        add(row[index] as Step, MISSING, part, false),
      ];
      row.push(steps.reduce((best, step) => (step.distance < best.distance ? step : best)));
    });
    above = row;
  }
  return above.at(-1) as Step;
};

const candidatesFor = (endpoints: readonly EndpointShape[], method: string, path: string): Candidate[] => {
  const requested = segmentsOf(path).filter((segment, index) => index > 0 || segment.toLowerCase() !== 'api');
  if (requested.length === 0 || requested.length > MAX_SEGMENTS) return [];
  const distanceOf = rememberDistances();
  const found = endpoints.flatMap((endpoint): Candidate[] => {
    const template = segmentsOf(endpoint.path).slice(1);
    const { distance, filled, isAlike } = align(requested, template, distanceOf);
    if (!isAlike || distance > MAX_DISTANCE) return [];
    const id = filled[template.indexOf(':id')];
    const agentId = id?.startsWith(':') ? undefined : id;
    // Routes with the same method are closer.
    const penalty = endpoint.method === method ? 0 : 0.15;
    return [{ endpoint, path: `/api/${filled.join('/')}`, agentId, distance: distance + penalty }];
  });
  return found.sort((one, other) => one.distance - other.distance);
};

const NEAR = 0.1;

/**
 * Returns the routes closest to an unknown one, such as `GET /api/agents/scout/file`. Omits routes that the caller
 * can't use.
 */
export const nearestRoutes = (
  endpoints: readonly EndpointShape[],
  method: string,
  path: string,
  mayUse: MayUse,
): string[] => {
  const usable: Candidate[] = [];
  for (const candidate of candidatesFor(endpoints, method, path)) {
    const [best] = usable;
    if (usable.length === MOST_NAMED || (best && candidate.distance > best.distance + NEAR)) break;
    if (mayUse(candidate.endpoint, candidate.agentId)) usable.push(candidate);
  }
  return usable.map((candidate) => `${candidate.endpoint.method} ${candidate.path}`);
};

/** Returns the endpoints of the first path in the contract that matches a request's path, by Express's rules. */
export const endpointsAt = (endpoints: readonly EndpointShape[], path: string): readonly EndpointShape[] => {
  const segments = path.replace(/\/$/, '').split('/');
  const fits = (template: readonly string[]) =>
    template.length === segments.length &&
    template.every((part, index) =>
      part.startsWith(':') ? segments[index] !== '' : part === segments[index],
    );
  const first = endpoints.find((endpoint) => fits(endpoint.path.split('/')));
  return first ? endpoints.filter((endpoint) => endpoint.path === first.path) : [];
};

/** The error for a path that doesn't exist in the API or the page. */
export const routeNotFound = (nearest: readonly string[]): AppError<'not_found'> =>
  nearest.length > 0
    ? new AppError('not_found', `This route doesn’t exist. Did you mean ${orList(nearest)}?`, {
        nearest: [...nearest],
      })
    : new AppError('not_found', 'This route doesn’t exist. GET /api lists the routes by task.');

/** The error for a path that exists without this method. `offered` lists the path's endpoints. */
export const methodNotAllowed = (
  method: string,
  path: string,
  offered: readonly EndpointShape[],
  mayUse: MayUse,
): AppError => {
  const usable = offered.filter((endpoint) => mayUse(endpoint));
  const allow = offered.flatMap((each) => (each.method === 'GET' ? ['GET', 'HEAD'] : [each.method]));
  const choices = usable.map((each) => `${each.method} (${each.summary.toLowerCase()})`);
  const advice =
    usable.length === 0
      ? 'Only the operator can use this route. Ask them. Don’t look for the operator token.'
      : `Use ${orList(choices)}.`;
  return new AppError('method_not_allowed', `${path} doesn’t support the method ${method}. ${advice}`, {
    allow: allow.join(', '),
  });
};
