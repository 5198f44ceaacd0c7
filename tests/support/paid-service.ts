import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, onTestFinished } from 'vitest';
import {
  createPaidRequests,
  type PaidRequests,
  type PaidRequestsOptions,
  type PaidWork,
  type Work,
} from '../../resources/starter-root/shared/lib/paid-request.mjs';
import { type ApiGate, openApiGate } from './api-gate.ts';
import { type CustomerRequest, type Reply, send } from './customers/post.ts';
import { testMint } from './mint/for-test.ts';
import type { TestMint, TestMintOptions } from './mint/test-mint.ts';
import { serveWallet, type WalletServer, type WalletServerOptions } from './wallet.ts';

/** Services that are built with paid-request.mjs, in front of a real dot-mi with a wallet at a test mint. */

/** Where the money of a service is. */
export interface Till {
  mint: TestMint;
  wallet: WalletServer;
  /** An agent key with the scope `charge`. */
  key: string;
}

/** A service with its till. */
export interface PaidService extends Till {
  url: string;
  gate: ApiGate;
  paid: PaidRequests;
  /** The bodies that it worked on, in their order. */
  worked(): string[];
  /** What was reported to the operator. */
  problems(): string[];
  /** Sends a request, by default with this body and a token. */
  buy(token?: string, options?: CustomerRequest & { path?: string }): Promise<Reply>;
  refund(token: string, path?: string): Promise<Reply>;
  /** Asks at one of the routes of prepaid balances. */
  balance(route: string, request?: CustomerRequest): Promise<Reply>;
  /** The state of each charge, the newest first. */
  states(): Promise<string[]>;
  /** Ends all connections and stops to listen, as a killed process does. */
  /** The connections that are open now. */
  connections(): Promise<number>;
  kill(): Promise<void>;
}

/** What to sell, and how. */
export interface PaidServiceOptions extends Partial<PaidRequestsOptions> {
  till?: Till;
  /** Default: returns the body in capitals, for the whole price. */
  work?: Work;
  /** Default: node:http. */
  server?: 'express' | undefined;
}

/** What a request asks for if the test doesn't say. */
export const ASKED = { text: 'hello' };
/** What the service returns for it. */
export const ANSWER = { text: 'HELLO' };
export const PRICE = 5;

const textOf = ({ body }: Pick<PaidWork, 'body'>): string => body.toString();

/** A till at a new mint. */
export const openTill = async (
  mintOptions: TestMintOptions = {},
  walletOptions: WalletServerOptions = {},
): Promise<Till> => {
  const mint = await testMint(mintOptions);
  const wallet = await serveWallet(mint.url, walletOptions);
  const { status, body } = await wallet.asOperator('POST', '/api/keys', {
    label: 'Shop',
    scopes: ['charge'],
  });
  expect(status).toBe(201);
  return { mint, wallet, key: body.key };
};

const listen = (server: Server) =>
  new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });

/** Opens a service until the test ends. Nothing that it answers or reports may contain its key. */
export const openPaidService = async ({
  till,
  work,
  server: kind,
  ...options
}: PaidServiceOptions = {}): Promise<PaidService> => {
  const { mint, wallet, key } = till ?? (await openTill());
  const gate = await openApiGate(wallet.url, key);
  const worked: string[] = [];
  const problems: string[] = [];
  const said: string[] = [];
  const paid = createPaidRequests({
    apiUrl: gate.url,
    key,
    charge: () => ({ amount: PRICE, label: 'test' }),
    onProblem: (message, error) => problems.push(`${message}: ${error}`),
    ...options,
  });
  const handler = paid.handle((job) => {
    worked.push(textOf(job));
    return work ? work(job) : { body: { text: JSON.parse(textOf(job)).text.toUpperCase() } };
  });
  const app = express().post('/', handler).use(paid.balances);
  const server = createServer(kind === 'express' ? app : handler);
  const url = await listen(server);
  const kill = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(async () => {
    await kill();
    await paid.close();
    expect([...problems, ...said].filter((text) => text.includes(key))).toEqual([]);
    expect(problems.filter((text) => text.includes('cashuB'))).toEqual([]);
  });
  const post = async (path: string, request: CustomerRequest): Promise<Reply> => {
    const reply = await send(`${url}${path}`, request);
    said.push(JSON.stringify([reply.headers, reply.text]));
    expect([reply.status, reply.headers['cache-control']]).toEqual([reply.status, 'no-store']);
    return reply;
  };
  return {
    mint,
    wallet,
    key,
    url,
    gate,
    paid,
    worked: () => [...worked],
    problems: () => [...problems],
    buy: (token, { path = '/', ...request } = {}) =>
      post(path, { body: ASKED, ...(token === undefined ? {} : { token }), ...request }),
    refund: (token, path = '/v1/balance/refund') => post(path, { token }),
    balance: (route, request = {}) => post(`/v1/balance/${route}`, request),
    states: async () =>
      (await wallet.asOperator('GET', '/api/charges')).body.charges.map(
        ({ state }: { state: string }) => state,
      ),
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
    kill,
  };
};
