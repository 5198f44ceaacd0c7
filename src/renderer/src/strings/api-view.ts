import { many, number } from './words.ts';

/** Texts of the view for programs. */
export const apiView = {
  title: 'API',
  description: 'Call dot-mi from a local agent or script, try any route, and see what programs ask.',
  tabs: 'Parts of the API page',
  tabNames: { routes: 'Routes', requests: 'Requests' },
  more: 'More',

  start: 'Start here',
  startHint: 'Address, first commands and tokens',
  address: 'Address',
  copyAddress: 'Copy address',
  commands: 'Commands to try',
  commandsHint: 'An agent with a shell can use these as they are.',
  copyCommand: (title: string): string => `Copy command: ${title}`,
  list: 'List the agents',
  receive: 'Receive a payment',
  receiveHint:
    'Write {"token": "cashu…"} to token.json first. A token in the command itself could be read by other users.',
  price: 'Get a price in sats',
  follow: 'Follow changes',
  document: 'All routes as a file',
  documentHint: 'The OpenAPI document describes every route, its fields and its errors.',
  copyOpenApi: 'Copy OpenAPI address',
  tokens: 'Tokens',
  tokensHint:
    'On this machine, most routes need no token. Routes that send money, show secrets or change settings need the operator token. Read it from its file, and don’t give it to agents.',

  routes: {
    list: 'Routes',
    search: 'Search routes',
    unknown: 'This route doesn’t exist',
    unknownHint: 'The list on the left has every route of this version.',
    operator: 'operator',
    back: 'All routes',
  },
  access: {
    open: 'No token needed',
    api: 'This server asks for a token',
    operator: 'Operator only',
    operatorHint:
      'Only the operator may use this route, and this window sends your sign-in with it. Don’t give agents the operator token.',
    operatorOrKey: 'Operator or agent key',
    operatorOrKeyHint: (keys: string): string =>
      `The operator may use this route, and this window sends your sign-in with it. ${keys} may use it too.`,
    scopes: (scopes: readonly string[]): string =>
      scopes.length === 1
        ? `Agent keys with the scope ${scopes[0]}`
        : `Agent keys with ${scopes.join(' or ')}`,
    ownAgent: (text: string): string => `${text}, of this agent`,
  },
  form: {
    heading: 'Request',
    places: { path: 'Path', query: 'Query', header: 'Headers' },
    optional: 'optional',
    headers: (count: number): string => many(count, 'header', 'headers'),
    body: 'Body (JSON)',
    examples: 'Example',
    missing: 'Enter a value. The route needs it.',
    dots: 'A path can’t contain “.” or “..” as a name.',
    header: 'Use plain letters, digits and signs. A header can’t hold other characters.',
    json: 'This isn’t valid JSON. Correct it before you send it.',
    notSet: 'Not set',
  },
  curl: {
    heading: 'As curl',
    copy: 'Copy as curl',
    sender: 'Token',
    senders: { none: 'None', key: 'Agent key', operator: 'Operator' },
    fix: 'Fill in the request first, and the command appears here.',
    key: 'The command reads the key from DOT_MI_KEY.',
    operator:
      'The command reads the token from its file, relative to the folder in which dot-mi keeps its data.',
    bodyFile:
      'Write the body to body.json first. Other users of this machine can read the arguments of a command.',
  },
  send: {
    read: 'Send',
    ask: 'Send…',
    sending: 'Sending…',
    stop: 'Stop',
    writeTitle: (method: string, path: string): string => `Send ${method} ${path}?`,
    writeHint:
      'This is a real request. It can change agents, files, settings or money, and this page can’t undo it.',
    secretHint: 'The answer contains a secret. Make sure no one can see your screen.',
    confirm: (method: string): string => `Send ${method}`,
  },
  answer: {
    heading: 'Answer',
    label: 'Answer of the request',
    body: 'Body of the answer',
    status: (status: number, text: string): string => (text === '' ? String(status) : `${status} ${text}`),
    headers: (count: number): string => many(count, 'header', 'headers'),
    empty: 'The answer has no body.',
    cut: 'The answer is longer than this page shows. Use curl for all of it.',
    stream: 'This is an event stream. The page stopped reading after 3 seconds.',
    copy: 'Copy answer',
    failed: 'The request failed',
  },
  answers: {
    heading: 'Answers',
    fields: (count: number): string => many(count, 'field', 'fields'),
    required: 'required',
    bodyFields: 'Fields of the body',
    example: 'Example',
    none: 'No fields',
  },
  log: {
    label: 'Requests',
    agent: 'Agent',
    anyAgent: 'All agents',
    errors: 'Only errors',
    page: 'Requests of this page',
    pause: 'Pause',
    resume: 'Resume',
    none: 'No requests yet',
    noneHint:
      'Requests of agents and other programs appear here at once. dot-mi keeps them in memory until it stops.',
    noMatch: 'No request matches',
    noMatchHint: 'Change the filters, or wait for the next request.',
    columns: { time: 'Time', caller: 'Caller', request: 'Request', status: 'Status', duration: 'Time taken' },
    callers: {
      page: 'This page',
      operator: 'Operator token',
      api: 'API token',
      other: 'No token',
      key: 'Agent key',
    },
    ofAgent: (agent: string): string => `Key of ${agent}`,
    noRoute: 'Unknown path',
    left: 'Left before the answer',
    count: (count: number): string => many(count, 'request', 'requests'),
    more: (count: number): string => `Show ${number.format(count)} more`,
    privacy: 'Without bodies, tokens and queries.',
  },
} as const;
