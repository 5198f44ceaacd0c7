import { list, many, number } from './words.ts';

const sats = (amount: number): string => `${number.format(amount)} sat`;

/** Strings for selling an agent. */
export const sell = {
  intro:
    'Anyone with a Cashu wallet can buy work from this agent. Each paid request runs it in a new folder.',
  terms: 'Price',
  pricing: 'Pricing',
  pricings: { margin: 'Model cost and margin', flat: 'Flat price' },
  margin: 'Margin in percent',
  marginHint: 'Added to the model’s cost.',
  price: 'Price for a request, in sats',
  priceHint: 'You pay for the model. If dot-mi knows its price, a run ends before it costs more than this.',
  more: 'Limits and address',
  description: 'One-sentence description for customers',
  variables: 'Environment variables for the agent',
  variablesHint: 'Names such as ANTHROPIC_API_KEY. The agent gets no other keys from your environment.',
  maxOutputTokens: 'Longest answer, in model tokens',
  maxOutputTokensHint: 'The customer pays for this much in advance.',
  parallel: 'Maximum simultaneous requests',
  parallelHint: 'Four times as many customers can pay and wait. dot-mi refuses any more before they pay.',
  timeoutSeconds: 'Time limit, in seconds',
  timeoutSecondsHint: 'A request that takes longer is refunded.',
  lossLimitSats: 'Loss limit for 24 hours, in sats',
  lossLimitSatsHint:
    'Requests that fail are refunded, but your provider still charges you. Beyond this, selling pauses.',
  port: 'Port',
  portHint: 'Leave it empty to use any free port.',
  startsWithApp: 'Start selling when dot-mi starts',
  rules: {
    margin: 'Enter a whole percentage from 0 to 10,000.',
    price: 'Enter a whole number of sats from 1 to 1,000,000.',
    maxOutputTokens: 'Enter a whole number of model tokens from 1 to 1,000,000.',
    parallel: 'Enter a whole number from 1 to 32.',
    timeoutSeconds: 'Enter a whole number of seconds from 10 to 3,600.',
    lossLimitSats: 'Enter a whole number of sats from 0 to 1,000,000,000.',
    port: 'Enter a port from 1024 to 65535, or leave it empty.',
    description: 'Use at most 200 characters.',
    variables: 'Enter names with letters, digits and "_", but none of dot-mi’s own.',
  },

  preview: {
    label: 'Customer preview',
    loading: 'Calculating the price…',
    flat: (amount: number): string =>
      `A customer pays ${sats(amount)} for each request, however long the answer is.`,
    advance: (amount: number): string =>
      `A customer pays ${sats(amount)} in advance and gets back what the request doesn’t use.`,
    usual: (tokens: number, amount: number): string =>
      `An answer of ${many(tokens, 'model token', 'model tokens')} costs about ${sats(amount)}.`,
    fixed: (amount: number): string => `A customer pays ${sats(amount)} for a short request.`,
    highest: 'Longest prompt',
    highestAmount: (amount: number): string => `${sats(amount)} in advance`,
    cost: 'Costs you',
    costAmounts: (usual: number, most: number): string =>
      usual === most ? sats(usual) : `usually ${sats(usual)}, at most ${sats(most)}`,
    model: 'Model',
    noModel: 'not named in a file',
    prompt: 'Prompt',
    promptTokens: (count: number): string => many(count, 'model token', 'model tokens'),
    tools: 'Tools',
    noTools: 'none',
  },

  sell: 'Sell',
  starting: 'Starting…',
  apply: 'Apply and restart',
  stop: 'Stop selling',
  stopping: 'Stopping…',
  started: (id: string): string => `${id} is for sale`,
  stopped: (id: string): string => `${id} is no longer for sale`,
  startFailed: 'Selling didn’t start',
  stopFailed: (id: string): string => `${id} is still for sale`,
  /** Reasons why the agent can't be sold, shown next to the button. */
  blocked: {
    noPrice: 'There is no BTC price yet.',
    field: (label: string): string => `Correct “${label}” first.`,
  },
  testMoney: 'Customers pay with test money',
  testMoneyHint:
    'Any token pays, so don’t give the address to strangers. Once the agent is for sale, buy from it yourself to see what a customer gets.',
  openWallet: 'Open the wallet',
  openPricing: 'Add a model price',
  openPiArgs: 'Open pi-args',
  useFlat: 'Set a flat price',
  openKeys: 'Open agent keys',
  trust: 'Trust and sell',
  portTaken: 'Change the port below, then try again.',

  service: {
    heading: 'For sale',
    closedHeading: 'Closed for now',
    states: {
      starting: 'Starting…',
      running: 'Customers can buy',
      stopped: 'Stopped',
      closed: 'Customers can’t buy',
    },
    closedSince: (ago: string): string => `Closed since ${ago}.`,
    retryAt: (time: string): string => `dot-mi tries again at ${time}, or earlier if something changes.`,
    sellAgain: 'Sell it again below to open it.',
    address: 'Address',
    copyAddress: 'Copy address',
    curl: 'Try it in a terminal',
    copyCurl: 'Copy command',
    curlHint: 'The command doesn’t send a payment, so the response only states the price.',
    onlyHere:
      'Only programs on this computer can reach this address. To let others reach it, forward a public address to it, for example with Caddy or Tailscale.',
  },

  buy: {
    heading: 'Buy it yourself',
    hint: 'Your wallet pays the price and receives it, because the service is yours. You pay only for the model and the mint’s fees.',
    prompt: 'Your request',
    buy: 'Buy',
    buying: 'Buying…',
    failed: 'Nothing was bought',
    paid: (paid: number, back: number | null): string =>
      back === null
        ? `You paid ${sats(paid)}. The history of the wallet will show what comes back.`
        : back === 0
          ? `You paid ${sats(paid)}.`
          : `You paid ${sats(paid)}, and ${sats(back)} came back.`,
  },

  sales: {
    sums: {
      sold: 'Sold',
      earned: 'Earned',
      refunded: 'Refunded',
      cost: 'Model cost',
      refundedAmount: (count: number, amount: number): string =>
        count === 0 ? 'none' : `${many(count, 'request', 'requests')}, ${sats(amount)}`,
      costAmount: (amount: number): string => `≈ ${sats(Math.round(amount * 10) / 10)}`,
      unknownCosts: (count: number): string =>
        `The model’s cost isn’t known for ${many(count, 'request', 'requests')}.`,
      estimated: (count: number): string =>
        `Your provider reported no usage for ${many(count, 'request', 'requests')} below, so dot-mi estimated the model tokens (≈). Compare the price with the provider’s bill.`,
    },
    prepaid: (id: string): string => `Prepaid key ${id.slice(0, 8)}`,
    block: 'Block key',
    unblock: 'Unblock key',
    blocked: 'Blocked',
    blockedToast: (id: string): string =>
      `Prepaid key ${id.slice(0, 8)} is blocked. Its rest can still be refunded.`,
    unblockedToast: (id: string): string => `Prepaid key ${id.slice(0, 8)} can buy again`,
    blockFailed: 'The prepaid key wasn’t changed',
    heading: 'Latest requests',
    caption: 'The latest paid requests, newest first',
    none: 'No customers yet',
    locked: 'Sign in to sell this agent',
    columns: { when: 'When', outcome: 'Result', charged: 'Paid', tokens: 'Model tokens', duration: 'Time' },
    outcomes: { sold: 'Sold', refunded: 'Refunded' },
    charged: (amount: number | null): string => (amount === null ? '–' : sats(amount)),
    tokens: (input: number, output: number, isEstimate: boolean): string =>
      `${isEstimate ? '≈ ' : ''}${number.format(input)} in, ${number.format(output)} out`,
    seconds: (ms: number): string => `${number.format(Math.round(ms / 100) / 10)} s`,
    said: (status: number | null, message: string): string =>
      status === null ? message : `The customer saw ${status}: ${message}`,
    unreported: 'The service ended before the work was done.',
    details: 'Details for you',
  },

  changes: {
    title: (id: string): string => `${id} has changed since you put it up for sale`,
    hint: 'Customers still buy from the copy that dot-mi made then. Your changes don’t reach them.',
    update: 'Update what is sold',
    kinds: { added: 'Added', changed: 'Changed', removed: 'Removed' },
    difference: (path: string): string => `Changes in ${path}`,
  },

  tools: {
    title: (id: string): string => `Let strangers use ${id}’s tools?`,
    loadsTitle: (id: string): string => `Sell ${id} with what it loads?`,
    description:
      'A stranger writes the prompts, and can do anything on this computer that the agent’s tools allow.',
    loadsDescription:
      'A stranger writes the prompts, and everything listed here can see them or act on them.',
    loads: 'It loads these. They run code, or send text somewhere else:',
    can: 'With these tools, a stranger could:',
    what: {
      bash: 'Run any program as you: read your files and keys, change or delete them, and send them anywhere.',
      read: 'Read every file that you can read, such as private keys and saved passwords.',
      write: 'Create files, and overwrite every file that you can change.',
      edit: 'Change every file that you can change.',
      grep: 'Search all files that you can read, such as private keys.',
      find: 'List all files that you can see.',
      ls: 'List all folders that you can see.',
      extensions: 'Use any tool that its extensions add. dot-mi can’t say what those do.',
      mcp: 'Use any tool of its MCP servers, with the accounts that they are signed in to.',
      unknown: 'Use other tools that dot-mi couldn’t identify.',
    } as Readonly<Record<string, string>>,
    other: 'Use this tool. dot-mi can’t say what it does.',
    names: { extensions: 'Extensions', mcp: 'MCP servers', unknown: 'Other tools' } as Readonly<
      Record<string, string>
    >,
    saferTitle: 'Safer: sell it without tools',
    safer:
      'dot-mi adds --no-tools to this agent’s pi-args. Your own runs lose the tools too, so duplicate the agent first if you need them.',
    saferDraft: 'Its pi-args have unsaved changes. Save or discard them first.',
    sellWithout: 'Sell without tools',
    removed: (id: string): string => `Added --no-tools to ${id}’s pi-args`,
    stillThere: (tools: readonly string[]): string =>
      `Its pi-args still give it tools: ${list.format(tools)}. Remove those arguments.`,
    understand: 'I accept that strangers can do this on my computer',
    understandLoads: 'I accept that strangers’ prompts reach these',
    understandHint: 'You can stop selling at any time, but you can’t undo what strangers did.',
    sellWith: 'Sell with these tools',
    sellWithLoads: 'Sell it anyway',
  },
} as const;
