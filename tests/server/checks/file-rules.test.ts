import { expect, test } from 'vitest';
import { extensionCalls } from '../../../src/pi/extension-calls.ts';
import { type CheckedAgent, checkAgent, expectFix, linkTo } from '../../support/check.ts';
import { testAgentRules } from '../../support/rule-cases.ts';

const READER = { 'agent-prompt.ts': { link: linkTo('extensions', 'agent-prompt.ts') } };
const UNREAD = {
  'mine.ts': { calls: extensionCalls('pi.registerTool(search); pi.registerProvider(NAME, {})') },
};

const file = (name: keyof NonNullable<CheckedAgent['files']>, text: string): CheckedAgent => ({
  files: { [name]: text },
});
const agentMd = (text: string, extensions: CheckedAgent['extensions'] = {}): CheckedAgent => ({
  files: { 'AGENT.md': text },
  extensions: { ...READER, ...extensions },
});

/** A variable as pi reads it in mcp.json. */
const inBraces = (name: string) => `$\{${name}}`;

const KEY = 'sk-ant-api03-Zq4T8vW1nB6xKp2Lr9Ys';

const MODELS = JSON.stringify({
  providers: {
    Local: {
      baseUrl: 'https://models.example',
      models: [{ id: 'qwen/qwen3-coder', name: 'Qwen3 Coder', contextWindow: 8_000 }, { id: 'tiny' }],
    },
    anthropic: { baseUrl: 'https://proxy.example' },
  },
});
const withModel = (piArgs: string, more: CheckedAgent = {}): CheckedAgent => ({
  ...more,
  files: { 'models.json': MODELS, 'pi-args': piArgs, ...more.files },
  facts: more.facts ?? { pricedModels: ['claude-sonnet-5', 'openrouter/z-ai/glm-5'] },
});

testAgentRules([
  {
    rule: 'file-unreadable',
    bad: {
      files: {
        'SYSTEM.md': { kind: 'refused', problem: 'too-large' },
        'pi-args': { kind: 'refused', problem: 'not-text' },
      },
    },
    marks: ['', ''],
    says: /is larger than 2 MiB, so dot-mi can’t check it or count/,
    good: [file('SYSTEM.md', ''), { files: { 'SYSTEM.md': { kind: 'refused', problem: 'outside' } } }],
  },
  {
    rule: 'system-md-empty',
    bad: file('SYSTEM.md', ''),
    marks: [''],
    says: 'pi uses its own prompt',
    good: [file('SYSTEM.md', '.'), { files: { 'SYSTEM.md': '', 'pi-args': '--system-prompt\nx' } }],
  },
  {
    rule: 'system-md-empty',
    bad: file('SYSTEM.md', '\uFEFF \r\n'),
    marks: [''],
    says: 'whitespace',
    good: [],
  },
  {
    rule: 'prompt-shadowed',
    bad: { files: { 'pi-args': '--append-system-prompt\nx', 'APPEND_SYSTEM.md': 'y' } },
    marks: ['--append-system-prompt'],
    says: 'doesn’t read APPEND_SYSTEM.md',
    good: [
      { files: { 'pi-args': '--append-system-prompt\nx', 'APPEND_SYSTEM.md': ' \n' } },
      { files: { 'APPEND_SYSTEM.md': 'y' } },
    ],
  },
  {
    rule: 'prompt-shadowed',
    bad: file('pi-args', '--system-prompt\nx'),
    marks: ['--system-prompt'],
    good: [{ files: { 'pi-args': '--system-prompt\nx', 'SYSTEM.md': undefined } }],
  },
  {
    rule: 'prompt-too-large',
    bad: withModel('--model\nLocal/qwen/qwen3-coder', file('SYSTEM.md', 'word '.repeat(8_000))),
    marks: [''],
    says: 'an estimated 10,000 tokens, but "qwen/qwen3-coder" accepts 8,000',
    good: [
      withModel('--model\nLocal/qwen/qwen3-coder', file('SYSTEM.md', 'word '.repeat(5_000))),
      withModel('--model\nLocal/tiny', file('SYSTEM.md', 'word '.repeat(8_000))),
      // The model sees no description of a hidden skill.
      withModel('--model\nLocal/qwen/qwen3-coder', {
        ...file('SYSTEM.md', 'x'),
        facts: { userSkills: [{ name: 'x', description: 'word '.repeat(8_000), isHidden: true }] },
      }),
    ],
  },
  {
    rule: 'agent-md-ignored-key',
    bad: agentMd('---\ntools:\n  - read\n  - ls\nmodel: sonnet\n---\n'),
    marks: ['- read\n  - ls\n', 'sonnet'],
    says: 'keeps all its tools',
    good: [
      agentMd('---\ntools: [read, ls]\nmodel: openrouter/qwen/qwen3\n---\n'),
      agentMd('---\ntools: read, ls # only\n---\nmodel: x'),
      file('AGENT.md', '---\ntools:\n  - read\n---\n'),
    ],
  },
  {
    rule: 'agent-md-ignored-key',
    bad: agentMd('---\ntools: read\n'),
    marks: ['---'],
    says: 'never closed',
    good: [agentMd('Only a text.\n')],
  },
  {
    rule: 'agent-md-unread',
    bad: file('AGENT.md', 'x'),
    marks: [''],
    good: [
      {
        files: { 'AGENT.md': 'x' },
        extensions: { 'agent-prompt': { link: linkTo('extensions', 'agent-prompt') } },
      },
    ],
  },
  {
    rule: 'agent-md-unread',
    bad: {
      files: { 'AGENT.md': 'x', 'pi-args': '-ne\n' },
      extensions: { 'agent-prompt': { link: linkTo('extensions', 'agent-prompt') } },
    },
    marks: [''],
    says: 'because --no-extensions disables all linked extensions',
    good: [],
  },
  {
    rule: 'tool-unknown',
    bad: agentMd('---\ntools: raed, "grep", teleport\n---\n', {}),
    marks: ['raed', 'teleport'],
    says: 'Did you mean "read"?',
    good: [
      agentMd('---\ntools: read, tavily_search\n---\n', {
        'tavily.ts': { calls: extensionCalls('pi.registerTool({ name: "tavily_search" })') },
      }),
      agentMd('---\ntools: teleport\n---\n', UNREAD),
      file('AGENT.md', '---\ntools: teleport\n---\n'),
    ],
  },
  {
    rule: 'tool-unknown',
    bad: file('pi-args', '--tools\nread,serach,+tele'),
    marks: ['serach', 'tele'],
    good: [
      file('pi-args', '--tools\nread,mcp__x,*'),
      file('pi-args', '--tools\nread,codemode,tool_search,list_mcp_resources,read_mcp_resource'),
      agentMd('---\ntools: list_mcp_resource_templates, tool_search\n---\n'),
      file('pi-args', '--tools\n-bash,+grep'),
    ],
  },
  {
    rule: 'provider-renamed',
    bad: {
      files: {
        'pi-args': '--provider\nazure-openai-responses\n--models\nazure-openai-responses/*,x',
        'settings.json':
          '{ "defaultProvider": "azure-openai-responses", "enabledModels": ["a", "azure-openai-responses/gpt-*"], "modelThinkingLevels": { "azure-openai-responses/gpt-5.4": "high" } }',
        'models.json':
          '{ "providers": { "azure-openai-responses": { "api": "azure-openai-responses", "baseUrl": "https://x.example" } } }',
        'AGENT.md': '---\nmodel: azure-openai-responses/gpt-5.4\n---\n',
      },
      extensions: READER,
    },
    marks: Array.from({ length: 7 }, () => 'azure-openai-responses'),
    says: 'call this provider "azure"',
    good: [
      file('pi-args', '--provider\nazure\n--model\nmy-azure-openai-responses/x'),
      file('models.json', '{ "providers": { "mine": { "api": "azure-openai-responses" } } }'),
      file('SYSTEM.md', 'azure-openai-responses'),
      file(
        'settings.json',
        '{ "enabledModels": "azure-openai-responses", "modelThinkingLevels": [], "defaultProvider": 5 }',
      ),
    ],
  },
  {
    rule: 'model-thinking-level',
    bad: {
      files: {
        'settings.json':
          '{ "defaultProvider": "openai", "defaultModel": "gpt-6.2-sol", "defaultThinkingLevel": "minimal" }',
      },
    },
    marks: ['minimal'],
    says: 'refuses the thinking level "minimal", so pi uses "low"',
    good: [
      file('pi-args', '--model\nopenai/gpt-6.2-sol\n--thinking\nlow'),
      file('pi-args', '--model\nopenai/gpt-6.2-sol:low'),
      file('pi-args', '--model\namazon-bedrock/gpt-6.2-sol:off'),
      file('pi-args', '--model\nopenai/gpt-6.1-terra:off'),
      file('pi-args', '--model\nopenai/gpt-6.2-sol:off\n--thinking\nhigh'),
      file(
        'settings.json',
        '{ "defaultProvider": "openai", "defaultModel": "gpt-6.2-sol", "defaultThinkingLevel": "off", "modelThinkingLevels": { "openai/gpt-6.2-sol": "max" } }',
      ),
      {
        files: {
          'pi-args': '--model\nmine/gpt-6.2-sol:off',
          'models.json': '{ "providers": { "mine": { "models": [{ "id": "gpt-6.2-sol" }] } } }',
        },
      },
    ],
  },
  {
    rule: 'model-thinking-level',
    bad: file('pi-args', '--model\nopenai/gpt-6.2-astra:off'),
    marks: ['off'],
    says: 'Choose "low" or a higher one',
    good: [],
  },
  {
    rule: 'model-thinking-level',
    bad: file('pi-args', '--provider\nopenai-codex\n--model\ngpt-6.2-sol\n--thinking\noff'),
    marks: ['off'],
    good: [],
  },
  {
    rule: 'model-unknown',
    bad: withModel('--provider\nantropic\n--model\nclaude-sonnet-5'),
    marks: ['antropic'],
    says: 'has a provider "antropic". Did you mean "anthropic"?',
    good: [
      withModel('--provider\nanthropic\n--model\nclaude-sonnet-5'),
      // The models file names this provider.
      withModel('--provider\nmy-own\n--model\nclaude', {
        facts: { pricedModels: ['my-own/claude', 'claude'] },
      }),
    ],
  },
  {
    rule: 'model-unknown',
    bad: withModel('--model\nLocal/qwen/qwen3-codr:high'),
    marks: ['Local/qwen/qwen3-codr:high'],
    says: 'Did you mean "qwen/qwen3-coder"?',
    good: [
      withModel('--model\nlocal/qwen3:high'),
      withModel('--model\ncoder'),
      // models.json only changes the address of a provider of pi.
      withModel('--model\nanthropic/claude-next'),
    ],
  },
  {
    rule: 'model-unknown',
    bad: {
      files: {
        'settings.json': '{ "defaultProvider": "lokal", "defaultModel": "tiny" }',
        'models.json': MODELS,
      },
    },
    marks: ['lokal'],
    says: 'has a provider "lokal". Did you mean "local"?',
    good: [
      file('settings.json', '{ "defaultProvider": "openai", "defaultModel": "tiny" }'),
      {
        ...file('settings.json', '{ "defaultProvider": "lokal", "defaultModel": "tiny" }'),
        extensions: UNREAD,
      },
      {
        ...file('settings.json', '{ "defaultProvider": "lokal", "defaultModel": "tiny" }'),
        extensions: { 'x.ts': { calls: extensionCalls('pi.registerProvider("lokal", {})') } },
      },
    ],
  },
  {
    rule: 'model-unknown',
    bad: { ...agentMd('---\nmodel: nobody/tiny\n---\n'), facts: { pricedModels: ['tiny', 'other/tiny'] } },
    marks: ['nobody'],
    says: 'Add it to models.json',
    good: [agentMd('---\nmodel: anthropic/tiny\n---\n')],
  },
  {
    rule: 'model-unknown',
    bad: {
      ...file('settings.json', '{ "defaultProvider": "opanai", "defaultModel": "claude-sonnet-5" }'),
      extensions: UNREAD,
      facts: { pricedModels: ['claude-sonnet-5'] },
    },
    marks: ['opanai'],
    says: 'Did you mean "openai"?',
    good: [],
  },
  {
    rule: 'model-no-price',
    bad: withModel('--model\nanthropic/claude-nova-9'),
    marks: ['anthropic/claude-nova-9'],
    good: [
      withModel('--provider\nopenrouter\n--model\nz-ai/glm-5'),
      withModel('--model\nanthropic/claude-sonnet-5:high'),
      withModel('--model\nsonnet'),
      withModel('--model\nz-ai/glm-5'),
      withModel('--model\nLocal/qwen/qwen3-coder'),
      withModel('--model\nLocal/nothing'),
      { ...withModel('--model\nanthropic/claude-nova-9'), facts: { pricedModels: undefined } },
      // An override has a price that counts for this agent.
      withModel('--model\nanthropic/claude-nova-9', {
        files: {
          'models.json':
            '{ "providers": { "anthropic": { "modelOverrides": { "claude-nova-9": { "cost": { "input": 1, "output": 2 } } } } } }',
        },
      }),
    ],
  },
  {
    // The price of the same model elsewhere isn't used for this one.
    rule: 'model-no-price',
    bad: withModel('--provider\nzai\n--model\nglm-5'),
    marks: ['glm-5'],
    good: [],
  },
  {
    rule: 'workspace-conf-path',
    bad: file('workspace.conf', '# made in each run\n/etc/x\nsources\n a/../../b \nC:\\x\n'),
    marks: ['/etc/x', 'a/../../b', 'C:\\x'],
    good: [file('workspace.conf', '#/etc\n...\na..b/c\nsources\n')],
  },
  {
    rule: 'settings-json-syntax',
    bad: file('settings.json', '{ "theme": "dark", }'),
    marks: [''],
    good: [
      file('settings.json', ''),
      file('settings.json', '\uFEFF{ "theme": "dark" }'),
      file('models.json', 'x'),
    ],
  },
  {
    rule: 'settings-json-value',
    bad: file(
      'settings.json',
      '{\n  "quietStartup": "yes",\n  "defaultThinkingLevel": "hi",\n  "retry": { "maxRetries": "3" }\n}',
    ),
    marks: ['"quietStartup": "yes"', '"defaultThinkingLevel": "hi"', '"maxRetries": "3"'],
    says: '"quietStartup" must be true, false or "header".',
    good: [
      file('settings.json', '{ "quietStartup": "header", "mine": 1, "skills": {}, "retry": { "new": 1 } }'),
      file('settings.json', 'x'),
    ],
  },
  {
    rule: 'settings-json-value',
    bad: file('settings.json', '[]'),
    marks: ['[]'],
    says: 'The file must be an object',
    good: [],
  },
  {
    rule: 'models-json-syntax',
    bad: file('models.json', '{ "providers": { } } /* x */'),
    marks: [''],
    good: [file('models.json', '{ // x\n  "providers": { "a": { "baseUrl": "http://x//y,}" }, }, }')],
  },
  {
    rule: 'models-json-value',
    bad: file(
      'models.json',
      '{ "providers": { "a": { "apiKey": "", "models": [{ "name": "x" }, { "id": "b", "cost": { "input": 1 } }] } } }',
    ),
    marks: ['"apiKey": ""', '{ "name": "x" }', '{ "input": 1 }', '{ "input": 1 }', '{ "input": 1 }'],
    says: 'pi ignores models.json until this is fixed.',
    good: [
      file('models.json', '{ "providers": { "a": { "mine": 1, "models": [{ "id": "b", "compat": {} }] } } }'),
      file('models.json', '{ "providers": { "__proto__": {} } }'),
    ],
  },
  {
    rule: 'models-json-env-name',
    bad: file('models.json', '{ "providers": { "a": { "apiKey": "MY_API_KEY" } } }'),
    marks: ['"MY_API_KEY"'],
    good: [
      file(
        'models.json',
        '{ "providers": { "a": { "apiKey": "$MY_API_KEY" }, "b": { "apiKey": "ollama" } } }',
      ),
      file('models.json', `{ "providers": { "a": { "apiKey": "${KEY}" } } }`),
    ],
  },
  {
    rule: 'models-json-api',
    bad: file(
      'models.json',
      JSON.stringify({
        providers: {
          a: { baseUrl: 'https://a.example', api: 'openai-completion', models: [{ id: 'x' }] },
          b: { baseUrl: 'https://a.example', models: [{ id: 'x', api: 'soap' }] },
        },
      }),
    ),
    marks: ['"openai-completion"', '"soap"'],
    says: 'so each call fails. Did you mean "openai-completions"?',
    good: [
      file('models.json', MODELS),
      file(
        'models.json',
        '{ "providers": { "a": { "baseUrl": "x", "api": "anthropic-messages", "models": [{ "id": "x" }] } } }',
      ),
      {
        ...file(
          'models.json',
          '{ "providers": { "a": { "baseUrl": "x", "api": "mine", "models": [{ "id": "x" }] } } }',
        ),
        extensions: { 'x.ts': { calls: extensionCalls('pi.registerProvider("mine", {})') } },
      },
    ],
  },
  {
    rule: 'provider-no-cost',
    bad: { ...file('models.json', MODELS), facts: { pricedModels: ['tiny'] } },
    marks: ['"Local"'],
    says: '1 model of "Local" has no "cost", so pi records each call as free. Add "cost" here for this agent, or the price to dot-mi’s models file for all agents.',
    good: [
      { ...file('models.json', MODELS), facts: { pricedModels: ['tiny', 'qwen3-coder'] } },
      file('models.json', MODELS.replace('https://models.example', 'http://localhost:8080/v1')),
      file(
        'models.json',
        MODELS.replaceAll('"id":', '"cost":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0},"id":'),
      ),
    ],
  },
  {
    rule: 'secret-in-file',
    bad: {
      files: {
        'models.json': `{ "providers": { "a": { "apiKey": "${KEY}" } } }`,
        'SYSTEM.md': `Use ${KEY} and ${KEY.slice(0, 12)}.`,
      },
    },
    marks: [KEY, KEY],
    says: 'Each call sends it to the model',
    hides: 'Zq4T8vW1nB6',
    good: [
      file(
        'SYSTEM.md',
        'Use sk-ant-your-key-here-0123456789 or $ANTHROPIC_API_KEY, sk-1234567890123456789012.',
      ),
      file('models.json', '{ "providers": { "a": { "apiKey": "$KEY", "b": "!pass show sk-key" } } }'),
    ],
  },
  {
    rule: 'secret-in-file',
    bad: file(
      'mcp.json',
      JSON.stringify({
        mcpServers: {
          search: {
            command: 'npx',
            args: ['-y', 'x'],
            env: { SEARCH_TOKEN: 'b7Jq2mZ0xP', REGION: 'eu-west-1-long' },
          },
          docs: {
            url: 'https://docs.example/mcp',
            headers: { Authorization: 'Bearer pT93kdMz0q', 'X-Team': 'a-team-name' },
          },
          login: {
            url: 'https://login.example/mcp',
            oauth: { clientId: 'my-client', clientSecret: 'Wq81nnZkP2' },
          },
          remote: { command: 'npx', args: ['mcp-remote', '--header', 'Authorization: Bearer mK20sXxq71'] },
          flag: { command: 'x', args: ['--api-key', 'vB55tRwe92', '--token=Zn31yQop48'] },
          query: { url: 'https://query.example/mcp?api_key=Lc64hUjt07&team=long-team-name' },
          known: { command: 'x', args: [KEY] },
        },
      }),
    ),
    marks: [
      'b7Jq2mZ0xP',
      'Bearer pT93kdMz0q',
      'Wq81nnZkP2',
      'Authorization: Bearer mK20sXxq71',
      'vB55tRwe92',
      '--token=Zn31yQop48',
      'https://query.example/mcp?api_key=Lc64hUjt07&team=long-team-name',
      KEY,
    ],
    says: `Put it in an environment variable, and write "${inBraces('SEARCH_TOKEN')}" here.`,
    hides: 'b7Jq2mZ0xP',
    good: [
      file(
        'mcp.json',
        JSON.stringify({
          mcpServers: {
            search: {
              command: 'npx',
              env: { SEARCH_TOKEN: `${inBraces('SEARCH_TOKEN')}`, API_KEY: '$KEY', KEY_FILE: '' },
            },
            docs: {
              url: `https://docs.example/mcp?api_key=${inBraces('DOCS_KEY')}&key`,
              headers: {
                Authorization: `Bearer ${inBraces('DOCS_TOKEN')}`,
                'X-Api-Key': '!pass show docs-key',
              },
              oauth: { clientSecret: `${inBraces('EXAMPLE_SECRET')}` },
            },
            flag: {
              command: 'x',
              args: ['--api-key', '$KEY', '--token', '--verbose-output', 'key: your-key-here'],
            },
            sample: { command: 'x', env: { TOKEN: 'your-token-here' } },
          },
        }),
      ),
      file(
        'mcp.json',
        '{ "mcpServers": { "a": 1, "b": { "env": [], "headers": "x", "args": {}, "url": 5 } } }',
      ),
      file('mcp.json', '['),
    ],
  },
]);

test.each([
  ['An API key', KEY],
  ['An API key', 'AIzaSyD4k8Qw2Zx7Lp0Vb9Nm3Rt6Yh1Ju5Ke8'],
  ['A GitHub token', 'ghp_a8Kd73Lq0Zx92Mv51Nb64Cw'],
  ['An AWS key', 'AKIAQ3EGT7ZK5NPDWX2M'],
  ['A Nostr private key', 'nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5'],
  ['A private key', '-----BEGIN OPENSSH PRIVATE KEY-----'],
])('secret-in-file finds %s', (kind, secret) => {
  const [found] = checkAgent(file('SYSTEM.md', `x ${secret} y`), 'secret-in-file');
  expect(found?.message).toContain(`${kind} is in SYSTEM.md.`);
});

test('fixes of a renamed provider change the name alone', () => {
  expectFix(
    (text) => checkAgent(file('pi-args', text), 'provider-renamed'),
    '--model\nazure-openai-responses/gpt-5.4:high\n',
    '--model\nazure/gpt-5.4:high\n',
  );
});

test('fixes of a misspelled provider change its name alone', () => {
  expectFix(
    (text) => checkAgent(withModel(text), 'model-unknown'),
    '--provider\nantropic\n--model\nclaude-sonnet-5:high\n',
    '--provider\nanthropic\n--model\nclaude-sonnet-5:high\n',
  );
  expectFix(
    (text) => checkAgent(agentMd(text), 'model-unknown'),
    '---\nmodel: opanai/gpt-5\n---\n',
    '---\nmodel: openai/gpt-5\n---\n',
  );
});

test('fixes of AGENT.md pass their rule and keep everything else', () => {
  expectFix(
    (text) => checkAgent(agentMd(text), 'tool-unknown'),
    '---\n# note\ntools: read,  Grp , "lss"\n---\n\nBody: lss\n',
    '---\n# note\ntools: read,  grep , "ls"\n---\n\nBody: lss\n',
  );
});
