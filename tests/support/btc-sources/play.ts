import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { PATHS, SOURCES, type SourceName } from './answers.ts';
import { type Behaviour, telling } from './faults.ts';

/** The five sources of the BTC price on this machine, each on a port of its own. */
export interface PlayedSources {
  /** A value of BTC_PRICE_SOURCES: those named, in that order. Default: all, in the default order. */
  setting(...names: SourceName[]): string;
  /** What a source does from now on; a number is a price in its real answer. */
  play(name: SourceName, what: Behaviour | number): void;
  playAll(what: Behaviour | number): void;
  /** Ends a source: connections to it are refused. */
  down(name: SourceName): Promise<void>;
  /** Brings it back to where it was. */
  up(name: SourceName): Promise<void>;
  /** How often a source was asked, or all together, since the last `forget`. */
  asked(name?: SourceName): number;
  /** All paths that were asked. */
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

/** Plays the sources until the test ends; all tell the same price at first. */
export const playBtcSources = async (price: Behaviour | number = 64_000): Promise<PlayedSources> => {
  const behaviourOf = (what: Behaviour | number) => (typeof what === 'number' ? telling(what) : what);
  let requests: { name: SourceName; path: string }[] = [];

  const players = await Promise.all(
    SOURCES.map(async (name): Promise<Player> => {
      const server = createServer((request, response) => {
        const path = request.url ?? '';
        requests.push({ name, path });
        // Another path would be a bug of ours that a real source answers so.
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
