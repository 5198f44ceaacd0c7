/** Texts of the view for programs. */
export const apiView = {
  title: 'API',
  description: 'Call dot-mi from a local agent or script.',
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
  routes: 'All routes',
  routesHint: 'The OpenAPI document describes every route, its fields and its errors.',
  copyOpenApi: 'Copy OpenAPI address',
  tokens: 'Tokens',
  tokensHint:
    'On this machine, most routes need no token. Routes that send money, show secrets or change settings need the operator token. Read it from its file, and don’t give it to agents.',
} as const;
