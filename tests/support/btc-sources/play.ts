import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { PATHS, SOURCES, type SourceName } from './answers.ts';
import { type Behaviour, telling } from './faults.ts';

/** Stand-ins for the five sources of the BTC price on this machine, each on its own port. */
export interface PlayedSources {
  /** A value of BTC_PRICE_SOURCES: the named sources, in that order. Default: all, in the default order. */
  setting(...names: SourceName[]): string;
  /** Sets a source's behavior from now on. A number is a price in its real answer. */
  play(name: SourceName, what: Behaviour | number): void;
  playAll(what: Behaviour | number): void;
  /** Stops a source, so that connections to it are refused. */
  down(name: SourceName): Promise<void>;
  /** Starts it again on the same port. */
  up(name: SourceName): Promise<void>;
  /** How often one source, or all together, was asked since the last `forget`. */
  asked(name?: SourceName): number;
  /** All paths that were requested. */
  paths(): string[];
  forget(): void;
}

interface Player {
  name: SourceName;
  server: Server;
  port: number;
  behaviour: Behaviour;
}

const listen = (server: Server, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });

const end = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

/** Plays the sources until the test ends. At first all report the same price. */
export const playBtcSources = async (price: Behaviour | number = 64_000): Promise<PlayedSources> => {
  const behaviourOf = (what: Behaviour | number) => (typeof what === 'number' ? telling(what) : what);
  let requests: { name: SourceName; path: string }[] = [];

  const players = await Promise.all(
    SOURCES.map(async (name): Promise<Player> => {
      const server = createServer((request, response) => {
        const path = request.url ?? '';
        requests.push({ name, path });
        // A real source answers this to a wrong path, which would be a bug of ours.
        if (path !== PATHS[name]) response.writeHead(404).end('{"error":"not found"}');
        else player.behaviour(response, name);
      });
      await listen(server, 0);
      const { port } = server.address() as AddressInfo;
      const player: Player = { name, server, port, behaviour: behaviourOf(price) };
      return player;
    }),
  );
  onTestFinished(async () => {
    await Promise.all(players.map(({ server }) => end(server)));
  });

  const playerOf = (name: SourceName): Player => {
    const player = players.find((each) => each.name === name);
    if (!player) throw new Error(`no source ${name}`);
    return player;
  };

  return {
    setting: (...names) =>
      (names.length === 0 ? [...SOURCES] : names)
        .map((name) => `${name}=http://127.0.0.1:${playerOf(name).port}`)
        .join(','),
    play(name, what) {
      playerOf(name).behaviour = behaviourOf(what);
    },
    playAll(what) {
      for (const player of players) player.behaviour = behaviourOf(what);
    },
    down: (name) => end(playerOf(name).server),
    up: (name) => listen(playerOf(name).server, playerOf(name).port),
    asked: (name) => requests.filter((request) => name === undefined || request.name === name).length,
    paths: () => requests.map(({ path }) => path),
    forget() {
      requests = [];
    },
  };
};
