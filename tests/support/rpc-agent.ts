import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeSession } from './session-file.ts';

/**
 * A program that speaks pi's RPC protocol without a model, for what a real pi does rarely: the argument after
 * `--behave` says what. It appends its process id, and those of what it starts, to the file in PI_TEST_IDS.
 */
const behavior = process.argv[process.argv.indexOf('--behave') + 1] ?? '';

const note = (id: number | undefined) => appendFileSync(process.env.PI_TEST_IDS ?? '', `${id}\n`);
const say = (record: object) => process.stdout.write(`${JSON.stringify(record)}\n`);
const answer = (text: string, more: object = {}) => {
  say({
    type: 'message_end',
    message: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hmm.' },
        { type: 'text', text },
      ],
      usage: { input: 100, output: 10, cacheRead: 5, cacheWrite: 3 },
      stopReason: 'stop',
      ...more,
    },
  });
};
const settle = () => {
  say({ type: 'agent_end', messages: [], willRetry: false });
  say({ type: 'agent_settled', aborted: false });
};

const confirmed = new Map<string, () => void>();
/** Asks a question, as pi does for an extension. */
const confirm = (title: string, message: string) =>
  new Promise<void>((done) => {
    const id = `c${confirmed.size}`;
    confirmed.set(id, done);
    say({ type: 'extension_ui_request', id, method: 'confirm', title, message });
  });

type Handler = (event: object, context: object) => Promise<void>;
/** Loads the extension in the arguments. Returns what it does before each call. */
const loadCallsExtension = async (): Promise<Handler | undefined> => {
  const at = process.argv.indexOf('--extension');
  if (at < 0) return undefined;
  const handlers = new Map<string, Handler>();
  const { default: load } = await import(pathToFileURL(resolve(process.argv[at + 1] ?? '')).href);
  load({ on: (name: string, handler: Handler) => handlers.set(name, handler) });
  return handlers.get('context');
};

/** The agent's own prompt, if it has one. */
const ownPrompt = () => {
  try {
    return readFileSync(join(process.env.PI_CODING_AGENT_DIR ?? '', 'SYSTEM.md'), 'utf8');
  } catch {
    return undefined;
  }
};

/** A process that ends only when it is killed. */
const startChild = (detached: boolean) => {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ['-e', script], {
    detached,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  note(child.pid);
};

const BEHAVIORS: Record<string, (prompt: string) => void | Promise<void>> = {
  echo(prompt) {
    const { env } = process;
    answer(
      JSON.stringify({ prompt, args: process.argv.slice(2), cwd: process.cwd(), env, system: ownPrompt() }),
    );
    settle();
  },
  /** Stores a session of half a dollar, as pi does. */
  record() {
    const { argv, env } = process;
    const named = argv[argv.indexOf('--session-dir') + 1];
    const directory =
      argv.includes('--session-dir') && named ? named : join(env.PI_CODING_AGENT_DIR ?? '', 'sessions');
    const session = makeSession({ startedAtMs: Date.now(), cwd: process.cwd() });
    session.say('Good morning');
    session.call({ input: 100, output: 10, usd: 0.5 });
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, session.fileName), session.text());
    answer('Recorded.');
    settle();
  },
  greet() {
    answer('Guten Morgen');
    settle();
  },
  /** Works as long as the prompt says, and fails if it says so: `{ ms, fails }`. */
  work(prompt) {
    const { ms, fails } = JSON.parse(prompt);
    setTimeout(() => {
      answer(
        fails ? '' : `Work on ${prompt}`,
        fails ? { stopReason: 'error', errorMessage: 'no credit' } : {},
      );
      settle();
    }, ms);
  },
  hang() {},
  slow(prompt) {
    setTimeout(() => {
      answer(prompt);
      settle();
    }, 1_000);
  },
  'ignore SIGTERM'() {},
  'leave processes'() {
    startChild(false);
    startChild(true);
    answer('Done.');
    settle();
  },
  outlive() {},
  'hang with processes'() {
    startChild(false);
    startChild(true);
  },
  flood() {
    const more = () => process.stdout.write(`${'x'.repeat(1_000)}\n`.repeat(64), more);
    more();
  },
  'flood errors'() {
    const more = () => process.stderr.write('x'.repeat(64_000), more);
    more();
  },
  'one endless line'() {
    const more = () => process.stdout.write('x'.repeat(64_000), more);
    more();
  },
  'exit early'() {
    process.stderr.write(
      `\u001b[31mcan't read ${process.cwd()}, key ${process.env.OPENAI_API_KEY}\u001b[0m\n`,
    );
    process.exitCode = 3;
    process.stdin.destroy();
  },
  'exit after settling'() {
    answer('In time.');
    settle();
    process.stdin.destroy();
  },
  'write garbage'() {
    process.stdout.write('\n\r\nnull\n[]\n42\n"text"\n{"type":\n{"type":"agent_settled"\nx\u0000\u0001\n');
    process.stdout.write(Buffer.from([0xff, 0xfe, 0xc3, 10]));
    process.stdout.write(`${'['.repeat(100_000)}\n${'y'.repeat(10 * 2 ** 20)}\n`);
    say({ type: 'message_end' });
    say({
      type: 'message_end',
      message: { role: 'assistant', usage: { input: -5, output: 'many', cacheRead: 1e12 } },
    });
    answer('Still here.');
    settle();
  },
  'ask questions'() {
    const methods = ['select', 'confirm', 'input', 'editor', 'notify', 'setStatus'];
    for (const method of methods)
      say({ type: 'extension_ui_request', id: `q-${method}`, method, title: 'Well?' });
  },
  'split characters'() {
    const line = Buffer.from(
      `${JSON.stringify({ type: 'message_end', message: { role: 'assistant', stopReason: 'stop', content: 'Zoë \u2028\u2029 ☕ 🦊' } })}\r\n`,
    );
    let at = 0;
    const next = () => {
      if (at === line.length) return settle();
      process.stdout.write(line.subarray(at, at + 1));
      at += 1;
      setImmediate(next);
    };
    next();
  },
  refuse() {},
  'handle it'() {},
  fail() {
    answer('', { stopReason: 'error', errorMessage: 'no credit' });
    settle();
  },
  'say nothing'() {
    answer(' \n');
    settle();
  },
  'cut off'() {
    answer('Half of', { stopReason: 'length' });
    settle();
  },
  'ignore limits'() {},
  'have no model'() {},
  /** Calls a tool again and again, which costs more each time. */
  async 'call tools'() {
    const ask = await loadCallsExtension();
    let input = 100;
    const next = async () => {
      await ask?.({ type: 'context' }, { ui: { confirm } });
      appendFileSync(`${process.env.PI_TEST_IDS}.calls`, 'call\n');
      answer(`Call at ${input}.`, { stopReason: 'toolUse', usage: { input, output: 10 } });
      say({
        type: 'message_end',
        message: { role: 'toolResult', content: [{ type: 'text', text: 'x'.repeat(200) }] },
      });
      input += 200;
      setImmediate(next);
    };
    await next();
  },
  /** A provider that ignores the limit, and reports no usage. */
  'write on'() {
    const more = () => {
      say({
        type: 'message_update',
        assistantMessageEvent: { type: 'text_delta', delta: 'word '.repeat(20) },
      });
      setImmediate(more);
    };
    more();
  },
  /** Writes `parts`, and waits for the file `until` after the first. Then it ends as `message` says. */
  stream(prompt) {
    const { parts, until, message }: { parts: string[]; until: string; message?: object } =
      JSON.parse(prompt);
    const write = (delta?: string) =>
      say({ type: 'message_update', assistantMessageEvent: { type: 'text_delta', delta } });
    const [first, ...others] = parts;
    write(first);
    note(process.pid);
    const wait = setInterval(() => {
      if (!existsSync(until)) return;
      clearInterval(wait);
      for (const part of others) write(part);
      answer(parts.join(''), message);
      settle();
    }, 10);
  },
  /** Writes in two messages of three. */
  'write between tools'() {
    const write = (text: string, stopReason: string) => {
      say({ type: 'message_update', assistantMessageEvent: { type: 'text_delta', delta: text.slice(0, 3) } });
      answer(text, { stopReason });
    };
    write('First I look.', 'toolUse');
    say({ type: 'message_end', message: { role: 'toolResult', content: [] } });
    answer('', { stopReason: 'toolUse' });
    write('Then I write.', 'stop');
    settle();
  },
  uncounted() {
    answer('Twelve words of an answer that a local model server did not count.', { usage: {} });
    settle();
  },
  /** As `uncounted`, with a tool, and then a text in a language with short tokens. */
  'report nothing of a tool'(prompt) {
    const { text, result } = JSON.parse(prompt);
    const call = { type: 'toolCall', id: 't1', name: 'read', arguments: { path: 'notes.txt' } };
    answer('', { content: [call], stopReason: 'toolUse', usage: {} });
    say({ type: 'message_end', message: { role: 'toolResult', content: [{ type: 'text', text: result }] } });
    answer(text, { usage: {} });
    settle();
  },
  'write too much'() {
    answer('0123456789'.repeat(10), { usage: { input: 10, output: 100 } });
    settle();
  },
  'use many tokens'() {
    answer('Once.', { stopReason: 'toolUse' });
    answer('Twice.', { stopReason: 'toolUse' });
  },
  'use everything'() {
    const usage = { input: 1_000, output: 100, cacheRead: 10, cacheWrite: 1 };
    answer('', { stopReason: 'error', errorMessage: 'try again' });
    say({ type: 'agent_end', messages: [], willRetry: true });
    say({ type: 'entry_appended', entry: { type: 'usage', kind: 'cache_warm', usage } });
    say({ type: 'message_end', message: { role: 'toolResult', content: [], usage } });
    say({ type: 'message_end', message: { role: 'user', content: 'x', usage } });
    answer('Here.');
    say({ type: 'agent_end', messages: [], willRetry: false });
    say({ type: 'compaction_end', reason: 'threshold', result: { summary: 'x', usage } });
    say({ type: 'compaction_end', reason: 'threshold', aborted: true });
    say({ type: 'agent_settled', aborted: false });
  },
  /** pi 0.73, which retries, and then compacts. */
  'be old'() {
    say({ type: 'agent_start' });
    answer('', { stopReason: 'error', errorMessage: 'try again' });
    say({ type: 'agent_end', messages: [] });
    say({ type: 'auto_retry_start', attempt: 1 });
  },
};

let states = 0;
/** What pi 0.73 does after each question for its state. */
const oldStates = [
  () => {
    say({ type: 'agent_start' });
    answer('Old, and done.');
    say({ type: 'agent_end', messages: [] });
    say({ type: 'compaction_start', reason: 'threshold' });
    return { isStreaming: false, isCompacting: false };
  },
  () => {
    setImmediate(() => say({ type: 'compaction_end', result: {}, willRetry: false }));
    return { isStreaming: false, isCompacting: true };
  },
  () => ({ isStreaming: false, isCompacting: false }),
];
const asked: string[] = [];

/** The model with the limit that models.json sets, as pi reads it. */
const modelNow = () => {
  let maxTokens = 1_000_000;
  try {
    const models = readFileSync(join(process.env.PI_CODING_AGENT_DIR ?? '', 'models.json'), 'utf8');
    maxTokens = JSON.parse(models).providers.test.modelOverrides.model.maxTokens;
  } catch {
    // There is none, or it sets no limit.
  }
  return { provider: 'test', id: 'model', maxTokens: behavior === 'ignore limits' ? 64_000 : maxTokens };
};

const hear = (record: { type: string; id: string; message: string; cancelled?: boolean }) => {
  const { id, type } = record;
  if (type === 'prompt') {
    if (behavior === 'refuse')
      return say({ id, type: 'response', command: type, success: false, error: 'No API key' });
    const data = { disposition: behavior === 'handle it' ? 'handled' : 'started' };
    say({ id, type: 'response', command: type, success: true, ...(behavior === 'be old' ? {} : { data }) });
    BEHAVIORS[behavior]?.(record.message);
  } else if (type === 'get_state' && id === 'model') {
    if (behavior === 'have no model') say({ id, type: 'response', command: type, success: true, data: {} });
    else say({ id, type: 'response', command: type, success: true, data: { model: modelNow() } });
  } else if (type === 'get_state') {
    say({ id, type: 'response', command: type, success: true, data: oldStates[states++]?.() });
  } else if (confirmed.has(id)) {
    confirmed.get(id)?.();
  } else if (type === 'extension_ui_response') {
    asked.push(`${id} ${record.cancelled}`);
    if (asked.length < 4) return;
    answer(asked.join(', '));
    settle();
  }
};

if (behavior === 'ignore SIGTERM') process.on('SIGTERM', () => {});
if (behavior === 'outlive') {
  setInterval(() => {}, 1_000);
  process.stdin.on('error', () => {});
}
note(process.pid);
// An extension ran the agent first.
say({ type: 'message_update', assistantMessageEvent: { type: 'text_delta', delta: 'Not yours. ' } });
answer('Not for the customer.', { usage: {} });
settle();
let text = '';
process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
  const lines = (text + chunk).split('\n');
  text = lines.pop() ?? '';
  for (const line of lines) hear(JSON.parse(line));
});
process.stdin.on('end', () => {
  if (!/SIGTERM|hang|outlive/.test(behavior)) process.exit();
});
