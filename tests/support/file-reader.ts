// Its own process: reads one file repeatedly with many readers, and counts reads that aren't one whole
// version.
import { readFile } from 'node:fs/promises';

const [path = '', readers = '1'] = process.argv.slice(2);
let stopped = false;
let reads = 0;
let mixes = 0;
const versions = new Set<string>();

const readOn = async () => {
  while (!stopped) {
    const text = await readFile(path, 'utf8');
    const first = text.slice(0, 7);
    reads++;
    versions.add(first);
    if (text.length !== 140_000 || text !== first.repeat(20_000)) mixes++;
  }
};

process.on('message', () => {
  stopped = true;
});
const all = Promise.all(Array.from({ length: Number(readers) }, readOn));
process.send?.('reading');
await all;
process.send?.({ reads, mixes, versions: versions.size });
process.disconnect();
