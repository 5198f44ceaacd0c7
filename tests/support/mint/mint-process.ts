// A test mint as a process of its own: `node mint-process.ts '<options as JSON>'`. It prints its address as JSON, and
// ends when its standard input does, so that it never outlives whoever started it.
import { startTestMint } from './test-mint.ts';

const mint = await startTestMint(JSON.parse(process.argv[2] ?? '{}'));
process.stdout.write(`${JSON.stringify({ url: mint.url, port: mint.port })}\n`);
process.stdin.resume().on('end', () => process.exit(0));
