import autocannon from 'autocannon';

/** A load: closed loop, no pipelining, each connection going round the paths from a place of its own. */
export interface Load {
  paths: readonly string[];
  headers?: Readonly<Record<string, string>>;
  connections: number;
  seconds: number;
}

/** What came of it. */
export interface LoadResult {
  requests: number;
  perSecond: number;
}

const rotate = <T>(items: readonly T[], by: number) => [...items.slice(by), ...items.slice(0, by)];

/** Puts a load on a server. Throws when an answer was not a success: such a measurement says nothing. */
export const putLoad = async (
  url: string,
  { paths, headers = {}, connections, seconds }: Load,
): Promise<LoadResult> => {
  let clients = 0;
  const result = await autocannon({
    url,
    connections,
    pipelining: 1,
    duration: seconds,
    // A run ends at a look at the clock; the default of 1 s would make short rounds uneven.
    sampleInt: 50,
    setupClient: (client) => {
      // Else all connections would ask for the same agent at the same time, round after round.
      const offset = Math.floor((clients++ * paths.length) / connections);
      client.setRequests(rotate(paths, offset).map((path) => ({ path, headers: { ...headers } })));
    },
  });
  if (result.non2xx + result.errors + result.timeouts > 0) {
    const { non2xx, errors, timeouts } = result;
    throw new Error(`load on ${url}${paths[0]}: ${non2xx} refusals, ${errors} errors, ${timeouts} timeouts`);
  }
  return { requests: result.requests.total, perSecond: result.requests.total / result.duration };
};
