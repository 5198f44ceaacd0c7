import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { answerAround, answerOf, KRAKEN_ERROR, type SourceName } from './answers.ts';

/** Answers a request, or doesn't. */
export type Behaviour = (response: ServerResponse, name: SourceName) => void;

/** Any answer. */
export const answering =
  (body: string | Buffer, status = 200, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);

/** The real answer with a price. Its time is now by default. */
export const telling =
  (price: number, atMs?: number): Behaviour =>
  (response, name) =>
    answering(answerOf(name, price, atMs))(response, name);

/** The real answer with some JSON in place of the price. */
export const tellingJson =
  (json: string): Behaviour =>
  (response, name) =>
    answering(answerAround(name, json))(response, name);

/** Too many requests: the source asks for a pause. */
export const busy = (retryAfter: string): Behaviour =>
  answering('{"message":"slow down"}', 429, { 'Retry-After': retryAfter });

/** Never answers. */
export const hanging: Behaviour = () => undefined;

/** Sends 200, and then endless text that may still become JSON. */
export const endless: Behaviour = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' }).write('{"data":"');
  const timer = setInterval(() => response.write('x'), 50);
  response.once('close', () => clearInterval(timer));
};

const PROTO = '{"__proto__":{"amount":"64000","usd":64000,"USD":64000,"last":"64000","c":["64000"]}}';
const DEEP = '['.repeat(200_000) + ']'.repeat(200_000);

/** Wrong values in place of the price. None is valid, whatever a lenient reader would make of it. */
export const BAD_PRICES: Readonly<Record<string, string>> = {
  'a negative number': '-64000',
  'a negative string': '"-64000"',
  zero: '0',
  'zero in a string': '"0.00"',
  'minus one': '-1',
  null: 'null',
  nothing: '""',
  'a blank': '" "',
  'a string with a comma': '"64,000.5"',
  'a string with a unit': '"64000 USD"',
  'a string with blanks around': '" 64000 "',
  'a hexadecimal string': '"0xFA00"',
  'an exponent in a string': '"6.4e4"',
  'Infinity in a string': '"Infinity"',
  'NaN in a string': '"NaN"',
  'a number beyond all numbers': '1e400',
  'more than all the money': '1000000001',
  'less than was ever paid': '0.0009',
  true: 'true',
  'a list': '[64000]',
  'an object': '{"amount":"64000"}',
};

/** Every fault of a source that shows at once, without waiting. */
export const FAULTS: Readonly<Record<string, Behaviour>> = {
  ...Object.fromEntries(
    Object.entries(BAD_PRICES).map(([what, json]) => [`${what} for a price`, tellingJson(json)]),
  ),
  'NaN, which is no JSON': tellingJson('NaN'),
  'Infinity, which is no JSON': tellingJson('Infinity'),
  'an error of kraken with a price': answering(KRAKEN_ERROR),
  'HTML with 200': answering('<!doctype html><title>Just a moment...</title>', 200, {
    'Content-Type': 'text/html',
  }),
  'an empty body': answering(''),
  'no content': answering('', 204),
  'half an answer': (response, name) => answering(answerOf(name, 64_000).slice(0, 20))(response, name),
  'null alone': answering('null'),
  'a number alone': answering('64000'),
  'a string alone': answering('"64000"'),
  'a list alone': answering('[{"data":{"amount":"64000"}}]'),
  'an empty object': answering('{}'),
  'a prototype with a price': answering(
    `{"data":${PROTO},"bitcoin":${PROTO},"result":[${PROTO}],"error":[],${PROTO.slice(1)}`,
  ),
  'a list 200,000 deep': answering(DEEP),
  'an object 100,000 deep': answering(`${'{"data":'.repeat(100_000)}1${'}'.repeat(100_000)}`),
  '2 MB of blanks before the price': (response, name) =>
    answering(' '.repeat(2_000_000) + answerOf(name, 64_000))(response, name),
  '200 MB that were packed small': answering(gzipSync(Buffer.alloc(200_000_000)), 200, {
    'Content-Encoding': 'gzip',
  }),
  'bytes that are not what they were packed as': answering('not gzip', 200, { 'Content-Encoding': 'gzip' }),
  'the status 500 with a price': (response, name) => answering(answerOf(name, 64_000), 500)(response, name),
  'the status 503': answering('{"error":"maintenance"}', 503),
  'the status 404': answering('{"error":"gone"}', 404),
  'the status 429 without Retry-After': answering('{}', 429),
  'a redirect to itself for ever': (response, name) =>
    answering('', 302, { Location: response.req.url ?? '/' })(response, name),
  'a redirect to nowhere': answering('', 301),
  'a connection cut before the answer': (response) => response.socket?.destroy(),
  'a connection cut in the answer': (response, name) => {
    response.writeHead(200, { 'Content-Length': '500' }).write(answerOf(name, 64_000).slice(0, 20));
    setImmediate(() => response.socket?.destroy());
  },
  'fewer bytes than promised in chunks': (response) => {
    response.writeHead(200, { 'Transfer-Encoding': 'chunked' });
    response.flushHeaders();
    response.socket?.end('5\r\n{"da');
  },
  'no HTTP at all': (response) => response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'),
};
