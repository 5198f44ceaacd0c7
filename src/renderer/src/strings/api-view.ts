import { many } from './words.ts';

/** Strings for the API view. */
export const apiView = {
  title: 'API',
  copyAddress: 'Copy address',

  routes: {
    list: 'Routes',
    search: 'Search routes',
    none: 'Choose a route',
    noneHint: 'You can try it here, and copy it as curl for a script or an agent.',
    unknown: 'This route doesn’t exist',
    operator: 'operator',
    back: 'All routes',
  },
  access: {
    open: 'No token needed',
    api: 'API token needed',
    operator: 'Operator only',
    operatorHint: 'This page uses your sign-in. Don’t give agents the operator token.',
    operatorOrKey: 'Operator or agent key',
    operatorOrKeyHint: (keys: string): string =>
      `This page uses your sign-in. ${keys} can use this route too.`,
    scopes: (scopes: readonly string[], isOwnAgent: boolean): string =>
      `${isOwnAgent ? 'The agent’s own keys' : 'Agent keys'} with ${scopes.length === 1 ? 'the scope ' : ''}${scopes.join(' or ')}`,
  },
  form: {
    heading: 'Request',
    places: { path: 'Path', query: 'Query', header: 'Headers' },
    optional: 'optional',
    headers: (count: number): string => many(count, 'header', 'headers'),
    body: 'Body (JSON)',
    examples: 'Example',
    missing: 'Enter a value.',
    dots: 'A path segment can’t be “.” or “..”.',
    header: 'A header can contain only letters, digits and punctuation.',
    json: 'This isn’t valid JSON.',
    notSet: 'Not set',
  },
  curl: {
    heading: 'As curl',
    copy: 'Copy as curl',
    sender: 'Token',
    senders: { none: 'None', key: 'Agent key', operator: 'Operator' },
    fix: 'Fill in the request to see the command.',
    key: 'The command reads the key from DOT_MI_KEY.',
    operator:
      'The command reads the operator token from a file in data/. Run the command in the folder that holds data/.',
    bodyFile: 'Write the body to body.json first, because other users can see what’s on a command line.',
  },
  send: {
    read: 'Send',
    ask: 'Send…',
    sending: 'Sending…',
    stop: 'Stop',
    writeTitle: (method: string, path: string): string => `Send ${method} ${path}?`,
    writeHint: 'It can change agents, files, settings or money. You can’t undo it here.',
    secretHint: 'The response contains a secret. Make sure no one can see your screen.',
    confirm: (method: string): string => `Send ${method}`,
  },
  response: {
    heading: 'Response',
    label: 'Response to the request',
    body: 'Response body',
    status: (status: number, text: string): string => (text === '' ? String(status) : `${status} ${text}`),
    headers: (count: number): string => many(count, 'header', 'headers'),
    empty: 'The response has no body.',
    cut: 'The response is too long to show here. Use curl to get all of it.',
    stream: 'The page read this event stream for 3 seconds.',
    copy: 'Copy response',
    failed: 'The request failed',
  },
  responses: {
    heading: 'Responses',
    fields: (count: number): string => many(count, 'field', 'fields'),
    required: 'required',
    bodyFields: 'Body fields',
    example: 'Example',
    none: 'No fields',
  },
} as const;
