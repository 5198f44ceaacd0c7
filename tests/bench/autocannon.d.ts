/** The part of autocannon that the bench uses; the package brings no types. */
declare module 'autocannon' {
  export interface Client {
    setRequests(requests: Array<{ path: string; headers?: Record<string, string> }>): void;
  }

  export interface Options {
    url: string;
    connections: number;
    pipelining: number;
    /** Seconds. */
    duration: number;
    /** Milliseconds between two looks at the clock; a run ends at one of them. */
    sampleInt: number;
    setupClient: (client: Client) => void;
  }

  export interface Result {
    requests: { total: number };
    /** Seconds it really took. */
    duration: number;
    non2xx: number;
    errors: number;
    timeouts: number;
  }

  export default function autocannon(options: Options): Promise<Result>;
}
