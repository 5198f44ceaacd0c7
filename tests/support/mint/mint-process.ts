// A test mint in its own process: `node mint-process.ts '<options as JSON>'`. It prints its address as JSON.
// It ends when its standard input does, so that it never outlives its parent.
import { startTestMint } from './test-mint.ts';

const run = async () => {
  const mint = await startTestMint(JSON.parse(process.argv[2] ?? '{}'));
  process.stdout.write(`${JSON.stringify({ url: mint.url, port: mint.port })}\n`);
  process.stdin.resume().on('end', () => process.exit(0));
};
void run();
