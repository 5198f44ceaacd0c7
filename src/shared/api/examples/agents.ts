import { createAgent, deleteAgent, duplicateAgent, getAgent, getRunCommand, listAgents } from '../agents.ts';
import { listExtensions, listPromptTemplates, listSkills, listThemes, readEntryText } from '../catalog.ts';
import { finishChange, getChange, listChanges, makeChanges, restoreChange } from '../changes.ts';
import { readFile, writeFile } from '../files.ts';
import { readJsonFile } from '../json-files.ts';
import { countLinks, links } from '../links.ts';
import { getMcp, listMcp } from '../mcp.ts';
import { getPackages } from '../packages.ts';
import { findModels, getPiModels, testModel } from '../pi-models.ts';
import { getPiSettings } from '../pi-settings.ts';
import { listPresets } from '../presets.ts';
import { searchPrompts } from '../search.ts';
import { listTrash, removeFromTrash, restoreFromTrash } from '../trash.ts';
import { example, type RequestExample } from './example.ts';

/** The etag of the file that {@link agentExamples} reads. */
const SCOUT_SYSTEM_ETAG = '"09e5256dc6bfab05a9de0c10b8873d97a80b06b31af1aec0b0e7f1366e4bce78"';

/** The change that the examples make. */
const madeChange = { params: { change: '6f1c2a9e-4b7d-4c1e-9a3f-000000000008' } };

const scout = { params: { id: 'scout' } };

/** Examples for agents, their files and the trash, in an order that works. */
export const agentExamples: readonly RequestExample[] = [
  example(listAgents, 'List the agents', {}),
  example(getAgent, 'See which files scout has', scout),
  example(getRunCommand, 'Get the run command of scout', scout),
  example(readFile, 'Read the system prompt of scout', { ...scout, query: { path: 'SYSTEM.md' } }),
  example(writeFile, 'Replace it if nobody has changed it since', {
    ...scout,
    headers: { 'if-match': SCOUT_SYSTEM_ETAG },
    body: { path: 'SYSTEM.md', content: 'You are a scout. You report what you see.\n' },
  }),
  example(writeFile, 'Create a file, but never replace one', {
    ...scout,
    headers: { 'if-none-match': '*' },
    body: { path: 'AGENT.md', content: '---\nmodel: gpt-5\n---\n' },
  }),
  example(makeChanges, 'Add an MCP server', {
    body: {
      label: 'Add docs',
      items: [
        {
          agent: 'scout',
          json: 'mcp.json',
          edits: [
            {
              path: ['mcpServers', 'docs'],
              value: {
                url: 'https://docs.example/mcp',
                headers: { Authorization: 'Bearer $DOCS_TOKEN' },
                description: 'Search the documentation.',
              },
            },
          ],
        },
      ],
    },
  }),
  example(makeChanges, 'Switch it off', {
    body: {
      label: 'Switch docs off',
      items: [
        {
          agent: 'scout',
          json: 'mcp.json',
          edits: [{ path: ['mcpServers', 'docs', 'enabled'], value: false }],
        },
      ],
    },
  }),
  example(getMcp, 'List the MCP servers of scout', scout),
  example(makeChanges, 'Add a provider and a model to scout, with its price', {
    body: {
      label: 'Add home',
      items: [
        {
          agent: 'scout',
          json: 'models.json',
          edits: [
            {
              path: ['providers', 'home'],
              value: {
                baseUrl: 'http://127.0.0.1:8080/v1',
                api: 'openai-completions',
                apiKey: '$HOME_KEY',
                models: [
                  {
                    id: 'qwen3',
                    reasoning: true,
                    contextWindow: 32_768,
                    cost: { input: 0.1, output: 0.4, cacheRead: 0, cacheWrite: 0 },
                  },
                ],
              },
            },
          ],
        },
      ],
    },
  }),
  example(getPiModels, 'List the providers and models of scout', scout),
  example(findModels, 'Fetch the models of LM Studio', {
    ...scout,
    body: { baseUrl: 'http://127.0.0.1:1234/v1' },
  }),
  example(testModel, 'Send a short prompt to one of them', {
    ...scout,
    body: { baseUrl: 'http://127.0.0.1:1234/v1', model: 'qwen3-8b' },
  }),
  example(readJsonFile, 'Show the text of its models.json', {
    params: { id: 'scout', file: 'models.json' },
    query: {},
  }),
  example(makeChanges, 'Change pi settings of scout', {
    body: {
      label: 'Compact later',
      items: [
        {
          agent: 'scout',
          json: 'settings.json',
          edits: [
            { path: ['defaultThinkingLevel'], value: 'low' },
            { path: ['compaction', 'keepRecentTokens'], value: 30_000 },
          ],
        },
      ],
    },
  }),
  example(getPiSettings, 'List the pi settings of scout', scout),
  example(makeChanges, 'Add a pi package without its themes', {
    body: {
      label: 'Add a package',
      items: [
        {
          agent: 'scout',
          json: 'settings.json',
          edits: [{ path: ['packages'], value: [{ source: 'npm:@example/pi-tools@1.0.0', themes: [] }] }],
        },
      ],
    },
  }),
  example(getPackages, 'List the pi packages of scout', scout),
  example(makeChanges, 'Remove it', {
    body: {
      label: 'Remove the package',
      items: [{ agent: 'scout', json: 'settings.json', edits: [{ path: ['packages', 0] }] }],
    },
  }),
  example(listSkills, 'List the shared skills', {}),
  example(readEntryText.skills, 'Read a shared skill', { params: { name: 'git-summary' }, query: {} }),
  example(listExtensions, 'List the shared extensions', {}),
  example(listPromptTemplates, 'List the shared prompt templates', {}),
  example(readEntryText.prompts, 'Read a shared prompt template', {
    params: { name: 'review.md' },
    query: {},
  }),
  example(listThemes, 'List the shared themes', {}),
  example(readEntryText.themes, 'Read a shared theme', { params: { name: 'quiet.json' }, query: {} }),
  example(links.skills.create, 'Link a shared skill', { ...scout, body: { name: 'git-summary' } }),
  example(links.skills.list, 'List the skills of scout', scout),
  example(countLinks, 'Count the links of each agent', {}),
  example(links.skills.remove, 'Unlink the skill', { params: { id: 'scout', name: 'git-summary' } }),
  example(listPresets, 'List the presets', {}),
  example(searchPrompts, 'Search the files of all agents', { query: { q: 'report' } }),
  example(createAgent, 'Create an agent', { body: { name: 'courier' } }),
  example(duplicateAgent, 'Duplicate an agent', { params: { id: 'courier' }, body: { name: 'courier-2' } }),
  example(makeChanges, 'Add an MCP server to two agents', {
    body: {
      label: 'Add a server',
      items: ['courier', 'scout'].map((agent) => ({
        agent,
        json: 'mcp.json' as const,
        edits: [{ path: ['mcpServers', 'files'], value: { command: 'files-mcp' } }],
      })),
    },
  }),
  example(listMcp, 'Show which agents have which MCP servers', {}),
  example(makeChanges, 'Change a prompt and a link together', {
    body: {
      label: 'Give courier the skill',
      items: [
        { agent: 'courier', file: 'APPEND_SYSTEM.md', content: 'Summarize each commit.\n' },
        { agent: 'courier', link: { kind: 'skills', name: 'git-summary' }, to: 'shared' },
      ],
    },
  }),
  example(getChange, 'Show what it changed', madeChange),
  example(restoreChange, 'Restore the version that it made', madeChange),
  example(finishChange, 'Finish it, if dot-mi stopped before', madeChange),
  example(listChanges, 'List the last change to courier', { query: { agent: 'courier', limit: 1 } }),
  example(deleteAgent, 'Move an agent to the trash', {
    params: { id: 'courier-2' },
    body: { confirm: 'courier-2' },
  }),
  example(listTrash, 'List the trash', {}),
  example(restoreFromTrash, 'Restore an agent', {
    params: { entry: 'courier-2@mibx6o00-000000000001' },
    query: {},
  }),
  example(deleteAgent, 'Move another agent to the trash', {
    params: { id: 'courier' },
    body: { confirm: 'courier' },
  }),
  example(removeFromTrash, 'Remove a deleted agent permanently', {
    params: { entry: 'courier@mibx6o00-000000000002' },
  }),
];
