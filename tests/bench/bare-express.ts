// Bare Express 5 with the bodies of our routes. Arguments: the answers file, and how it answers: `json` as an ordinary
// app does (`res.json(value)`), or `end` with prepared bytes and Express's own headers off.
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express, { type Response } from 'express';

const [answersFile = '', style = 'json'] = process.argv.slice(2);
const answers: Record<string, string> = JSON.parse(readFileSync(answersFile, 'utf8'));
const values = new Map(
  Object.entries(answers).map(([address, body]) => [address, JSON.parse(body) as unknown]),
);
const bodies = new Map(Object.entries(answers).map(([address, body]) => [address, Buffer.from(body)]));

const app = express();
if (style === 'end') app.disable('x-powered-by').disable('etag');

const answerJson = (res: Response, address: string) => {
  const value = values.get(address);
  if (value === undefined) res.sendStatus(404);
  else res.json(value);
};

const answerBytes = (res: Response, address: string) => {
  const body = bodies.get(address);
  if (!body) {
    res.sendStatus(404);
    return;
  }
  res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
  res.end(body);
};

const answer = style === 'end' ? answerBytes : answerJson;

app.get('/api/health', (_req, res) => answer(res, '/api/health'));
app.get('/api/agents', (_req, res) => answer(res, '/api/agents'));
app.get('/api/agents/:id', (req, res) => answer(res, `/api/agents/${req.params.id}`));
app.get('/api/agents/:id/file', (req, res) =>
  answer(res, `/api/agents/${req.params.id}/file?path=${req.query.path}`),
);
app.get('/api/catalog/skills', (_req, res) => answer(res, '/api/catalog/skills'));
app.get('/api/wallet/balance', (_req, res) => answer(res, '/api/wallet/balance'));
app.get('/api/pricing/tokens', (req, res) => answer(res, `/api/pricing/tokens?model=${req.query.model}`));

const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
