import { serve, type TestServer } from './server.ts';

/** Starts the real server like {@link serve}. Its `call` sends the operator token, as the page does. */
export const serveOperator = async (...parameters: Parameters<typeof serve>): Promise<TestServer> => {
  const server = await serve(...parameters);
  return { ...server, call: server.asOperator };
};
