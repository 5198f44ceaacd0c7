import { getBudget, listBudgets, setBudget } from '../budgets.ts';
import { installSkill, installStatusExtension, listUsage, uninstallSkill } from '../catalog.ts';
import { undoChange } from '../changes.ts';
import { checkAgent, checkSharedSkill, countFindings, fixFindings } from '../checks.ts';
import { getCost } from '../cost.ts';
import { deleteDraft, listDrafts, readDraft, writeDraft } from '../drafts.ts';
import { getEarnings } from '../earnings.ts';
import { listEntries } from '../entries.ts';
import { createKey, deleteKey, getOwnKey, listKeys } from '../keys.ts';
import { changeLinks, getLinkMatrix, links } from '../links.ts';
import { LINK_KIND_SHAPES } from '../names.ts';
import {
  applyPreset,
  deletePreset,
  readPreset,
  renamePreset,
  restorePreset,
  writePreset,
} from '../presets.ts';
import { listProfiles } from '../profiles.ts';
import { getPrompt } from '../prompt.ts';
import { getReadiness, listSignIns } from '../readiness.ts';
import { deleteSession, getResumeCommand, listSessions, readSession } from '../sessions.ts';
import { listStatus, reportStatus, showTerminal } from '../status.ts';
import { getUsage, listLastRuns } from '../usage.ts';
import { example, type RequestExample } from './example.ts';

const scout = { params: { id: 'scout' } };
const research = { params: { name: 'research' } };
const writer = { id: 'scout', writer: 'my-editor' };

/** The id of scout's session. */
export const EXAMPLE_SESSION = '6f1c2a9e-4b7d-4c1e-9a3f-5e5510000001';

/** Returns examples that link a shared entry, list its use, and unlink it. */
const linkExamples = (kind: 'prompts' | 'themes', name: string): RequestExample[] => {
  const { one, many } = LINK_KIND_SHAPES[kind];
  const link = { params: { id: 'scout', name } };
  return [
    example(links[kind].create, `Link a shared ${one}`, { ...scout, body: { name } }),
    example(links[kind].list, `List the ${many} of scout`, scout),
    example(listUsage[kind], `Show which agents have each shared ${one}`, {}),
    example(links[kind].remove, `Unlink the ${one}`, link),
  ];
};

/** Prompts, checks, links, presets, budgets, sessions and keys, in an order that works. */
export const workExamples: readonly RequestExample[] = [
  example(listProfiles, 'List each agent’s model and the first line of its prompt', {}),
  example(listEntries, 'List everything in the directory of scout', scout),
  example(getPrompt, 'Predict the prompt of scout', { ...scout, query: {} }),
  example(getReadiness, 'Check whether scout is ready to run', scout),
  example(listSignIns, 'Show which agents are signed in', {}),
  example(getCost, 'Estimate the cost of a call by scout with a model', {
    ...scout,
    query: { model: 'gpt-5.4', outputTokens: 500 },
  }),
  example(countFindings, 'Count the findings of all agents', {}),
  example(checkAgent, 'Check scout', scout),
  example(checkSharedSkill, 'Check a shared skill', { params: { name: 'git-summary' } }),
  example(fixFindings, 'Apply a safe fix', {
    ...scout,
    headers: {},
    body: {
      findings: [{ rule: 'pi-args-several-tokens', file: 'pi-args', line: 1, column: 1 }],
      etags: { 'pi-args': '"dcf9ca26ffcd48e92543a70af9674d10a1c4644d1df973adb6c67cd7bf73a4b0"' },
    },
  }),
  example(writeDraft, 'Store a draft', {
    params: writer,
    headers: {},
    body: {
      path: 'SYSTEM.md',
      text: 'You are a scout. You re',
      base: { content: 'You are a scout.\n', etag: null },
      typedAt: '2026-11-22T10:00:00.000Z',
    },
  }),
  example(listDrafts, 'List the drafts', { headers: {} }),
  example(readDraft, 'Read one', { params: writer, query: { path: 'SYSTEM.md' }, headers: {} }),
  example(deleteDraft, 'Remove it', {
    params: writer,
    query: { path: 'SYSTEM.md', version: '6f1c2a9e-4b7d-4c1e-9a3f-000000000001' },
    headers: {},
  }),
  example(installSkill, 'Add the skill dot-mi to the root', {}),
  example(uninstallSkill, 'Undo that', {}),
  example(installStatusExtension, 'Add the extension that reports what agents are doing', {}),
  example(links.extensions.create, 'Link a shared extension', { ...scout, body: { name: 'say.ts' } }),
  example(links.extensions.list, 'List the extensions of scout', scout),
  example(links.extensions.remove, 'Unlink the extension', { params: { id: 'scout', name: 'say.ts' } }),
  example(listUsage.extensions, 'Show which agents have each shared extension', {}),
  ...linkExamples('prompts', 'review.md'),
  ...linkExamples('themes', 'quiet.json'),
  example(changeLinks, 'Link a skill to two agents', {
    body: {
      link: [
        { agent: 'scout', kind: 'skills', names: ['git-summary'] },
        { agent: 'courier', kind: 'skills', names: ['git-summary'] },
      ],
    },
  }),
  example(listUsage.skills, 'Show which agents have each shared skill', {}),
  example(getLinkMatrix, 'Show which agents have which skills', { query: { kind: 'skills' } }),
  example(undoChange, 'Undo the change', { params: { change: '6f1c2a9e-4b7d-4c1e-9a3f-000000000002' } }),
  example(writePreset, 'Save a preset', {
    ...research,
    headers: { 'if-none-match': '*' },
    body: {
      description: 'For research.',
      skills: ['git-summary'],
      extensions: [],
      prompts: ['review.md'],
      themes: [],
    },
  }),
  example(readPreset, 'Read it', research),
  example(applyPreset, 'Apply it to an agent', { ...research, body: { agents: ['courier'] } }),
  example(renamePreset, 'Rename it', { ...research, headers: {}, body: { name: 'reading' } }),
  example(deletePreset, 'Delete it', { params: { name: 'reading' }, headers: {} }),
  example(restorePreset, 'Undo that', { params: { name: 'reading' } }),
  example(setBudget, 'Limit scout to 2 dollars a day', { ...scout, body: { usdPerDay: 2 } }),
  example(getBudget, 'Get the budget of scout and how much of it is used', { ...scout, query: {} }),
  example(listBudgets, 'List the agents with a budget', {}),
  example(reportStatus, 'Report that a run of scout is waiting for a person', {
    ...scout,
    body: {
      run: '4711-5f0c9a',
      state: 'waiting',
      model: 'openai/gpt-5.4',
      cwd: '/home/me/code',
      terminal: { host: 'my-laptop', wezterm: { pane: 3 } },
    },
  }),
  example(listStatus, 'List the agents that are running or waiting', {}),
  example(showTerminal, 'Bring the terminal of scout to the front', scout),
  example(getUsage, 'See what each agent spent on models', { query: {} }),
  example(listLastRuns, 'Show when each agent last ran', {}),
  example(getEarnings, 'See what each agent earned and spent', { query: {} }),
  example(listSessions, 'List the sessions of scout', { ...scout, query: { limit: 10 } }),
  example(readSession, 'Read a session', { params: { session: EXAMPLE_SESSION }, query: {} }),
  example(getResumeCommand, 'Get the command that resumes it', {
    params: { session: EXAMPLE_SESSION },
    query: {},
  }),
  example(deleteSession, 'Move it to the trash', { params: { session: EXAMPLE_SESSION }, query: {} }),
  example(createKey, 'Create a key for an agent', {
    body: { label: 'Scout', agent: 'scout', scopes: ['prices', 'receive', 'read-agents'] },
  }),
  example(listKeys, 'List the keys', {}),
  example(getOwnKey, 'See what the key of this request can do', {}),
  example(deleteKey, 'Revoke it', { params: { keyId: '6f1c2a9e-4b7d-4c1e-9a3f-000000000005' } }),
];
