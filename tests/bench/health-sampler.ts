// Asks a server's health (or another path) at a modest fixed rate and tells how long each answer took. A process of its own: in the
// one that makes the load it would measure that load's own event loop. Arguments: the URL, milliseconds between requests, the path.
import { Agent, get } from 'node:http';
import { performance } from 'node:perf_hooks';

/** What the bench is told at the end: milliseconds of each answer. */
export type HealthSamples = number[];

const [url = '', everyMs = '5', path = '/api/health'] = process.argv.slice(2);
// Open loop: a request goes out on time, on a further connection, while an earlier one waits. Else one slow answer
// would hide all those that were due meanwhile.
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const samples: HealthSamples = [];
let timer: NodeJS.Timeout | undefined;

const ask = () => {
  const sentMs = performance.now();
  get(`${url}${path}`, { agent }, (res) => {
    if (res.statusCode !== 200) throw new Error(`${path} answered ${res.statusCode}`);
    res.resume();
    res.on('end', () => samples.push(performance.now() - sentMs));
  });
};

process.on('message', (question: 'begin' | 'end') => {
  if (question === 'begin') {
    samples.length = 0;
    timer = setInterval(ask, Number(everyMs));
    process.send?.('begun');
  } else {
    clearInterval(timer);
    process.send?.(samples);
  }
});

process.on('disconnect', () => process.exit(0));
