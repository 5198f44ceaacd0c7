import { createAgent, deleteAgent, duplicateAgent, getAgent, getRunCommand, listAgents } from '../agents.ts';
import { listExtensions, listPromptTemplates, listSkills, listThemes, readEntryText } from '../catalog.ts';
import { finishChange, getChange, listChanges, makeChanges } from '../changes.ts';
import { readFile, writeFile } from '../files.ts';
import { readJsonFile } from '../json-files.ts';
import { countLinks, links } from '../links.ts';
import { changeAllMcp, changeMcp, getMcp, listMcp } from '../mcp.ts';
import { changePackage, getPackages } from '../packages.ts';
import { changePiModels, getPiModels } from '../pi-models.ts';
import { changePiSettings, getPiSettings } from '../pi-settings.ts';
import { listPresets } from '../presets.ts';
import { searchPrompts } from '../search.ts';
import { listTrash, removeFromTrash, restoreFromTrash } from '../trash.ts';
import { example, type RequestExample } from './example.ts';

/** The etag of the file that {@link agentExamples} reads. */
const SCOUT_SYSTEM_ETAG = '"09e5256dc6bfab05a9de0c10b8873d97a80b06b31af1aec0b0e7f1366e4bce78"';

/** The change that the examples make. */
const madeChange = { params: { change: '6f1c2a9e-4b7d-4c1e-9a3f-000000000002' } };

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
  example(changeMcp, 'Add an MCP server', {
    ...scout,
    headers: {},
    body: {
      name: 'docs',
      server: {
        url: 'https://docs.example/mcp',
        headers: { Authorization: 'Bearer $DOCS_TOKEN' },
        description: 'Search the documentation.',
      },
    },
  }),
  example(changeMcp, 'Switch it off', {
    ...scout,
    headers: {},
    body: { name: 'docs', server: { enabled: false } },
  }),
  example(getMcp, 'List the MCP servers of scout', scout),
  example(changePiModels, 'Add a provider to scout', {
    ...scout,
    headers: {},
    body: {
      provider: 'home',
      change: { baseUrl: 'http://127.0.0.1:8080/v1', api: 'openai-completions', apiKey: '$HOME_KEY' },
    },
  }),
  example(changePiModels, 'Add a model to it, with its price', {
    ...scout,
    headers: {},
    body: {
      provider: 'home',
      model: 'qwen3',
      change: { reasoning: true, contextWindow: 32_768, cost: { input: 0.1, output: 0.4 } },
    },
  }),
  example(getPiModels, 'List the providers and models of scout', scout),
  example(readJsonFile, 'Show the text of its models.json', { ...scout, query: { path: 'models.json' } }),
  example(changePiSettings, 'Change pi settings of scout', {
    ...scout,
    headers: {},
    body: {
      changes: [
        { path: ['defaultThinkingLevel'], value: 'low' },
        { path: ['compaction', 'keepRecentTokens'], value: 30_000 },
      ],
    },
  }),
  example(getPiSettings, 'List the pi settings of scout', scout),
  example(changePackage, 'Add a pi package without its themes', {
    ...scout,
    headers: {},
    body: { source: 'npm:@example/pi-tools@1.0.0', package: { themes: [] } },
  }),
  example(getPackages, 'List the pi packages of scout', scout),
  example(changePackage, 'Remove it', {
    ...scout,
    headers: {},
    body: { source: 'npm:@example/pi-tools@1.0.0', package: null },
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
  example(changeAllMcp, 'Copy an MCP server to another agent', {
    body: { steps: [{ action: 'copy', names: ['docs'], from: 'scout', agents: ['courier'] }] },
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
