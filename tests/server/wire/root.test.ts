import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as agents from '../../../src/shared/api/agents.ts';
import { getBudget, listBudgets, setBudget } from '../../../src/shared/api/budgets.ts';
import * as catalog from '../../../src/shared/api/catalog.ts';
import * as changes from '../../../src/shared/api/changes.ts';
import { getCost } from '../../../src/shared/api/cost.ts';
import * as drafts from '../../../src/shared/api/drafts.ts';
import { getEarnings } from '../../../src/shared/api/earnings.ts';
import { listEntries } from '../../../src/shared/api/entries.ts';
import * as files from '../../../src/shared/api/files.ts';
import { changeLinks, countLinks, getLinkMatrix, links } from '../../../src/shared/api/links.ts';
import * as mcp from '../../../src/shared/api/mcp.ts';
import { LINK_KIND_SHAPES, LINK_KINDS, MAX_FILE_BYTES } from '../../../src/shared/api/names.ts';
import { changePreferences, getPreferences } from '../../../src/shared/api/preferences.ts';
import { listProfiles } from '../../../src/shared/api/profiles.ts';
import { getPrompt } from '../../../src/shared/api/prompt.ts';
import { getReadiness, listSignIns } from '../../../src/shared/api/readiness.ts';
import * as rootApi from '../../../src/shared/api/root.ts';
import { listRoots } from '../../../src/shared/api/roots.ts';
import { searchPrompts } from '../../../src/shared/api/search.ts';
import * as sessions from '../../../src/shared/api/sessions.ts';
import { listSessions } from '../../../src/shared/api/sessions.ts';
import { listStatus, reportStatus, showTerminal } from '../../../src/shared/api/status.ts';
import * as trash from '../../../src/shared/api/trash.ts';
import { getUsage, listLastRuns } from '../../../src/shared/api/usage.ts';
import { serveOperator } from '../../support/as-operator.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot, type Tree } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { trustRoot } from '../../support/trust.ts';
import { recordWire } from './record.ts';

const SESSION = new URL('../../fixtures/pi-prompts/session-1.5.2.jsonl', import.meta.url);
const scout = { id: 'scout' };
const nobody = { id: 'nobody' };
const badId = { id: '-x' };
const create = { body: { name: 'new' } };

/** A session with one call. */
const usedSession = (): string => {
  const session = makeSession();
  session.call({ input: 10, output: 1, usd: 0.5 });
  return session.text();
};

/** Replaces the setup script, and trusts the new one. */
const replaceScript = async (server: Awaited<ReturnType<typeof serve>>, text: string) => {
  await writeFile(join(server.rootPath, 'setup.sh'), `#!/bin/sh\n${text}\n`);
  await trustRoot(server);
};

test('the wire of the agents is as recorded', { tags: 'slow' }, () =>
  recordWire('agents', async (ask) => {
    const root = await makeRoot({
      'agents/half/AGENT.md': 'No SYSTEM.md here.\n',
      'agents/odd/SYSTEM.md': null,
      'agents/linked': { link: 'scout' },
      'agents/scout/sessions/one.jsonl': usedSession(),
      'agents/scout/sessions/two.jsonl': '{\n',
    });
    const bin = await makeTempDirectory();
    await plant(bin, { wezterm: { script: '#!/bin/sh\n' } });
    const server = await serve(root, { readSearchPath: async () => `${bin}:${process.env.PATH}` });
    await ask(server, agents.listAgents, 'success');
    await ask(server, listProfiles, 'success');
    await ask(server, searchPrompts, 'success', { query: { q: 'e' } });
    await ask(server, listBudgets, 'success');
    const limits = { usdPerDay: 1, satsPerMonth: 1_000 };
    await ask(server, setBudget, 'success', { params: scout, body: limits });
    await ask(server, setBudget, 'invalid_agent_id', { params: badId, body: limits });
    await ask(server, setBudget, 'agent_not_found', { params: nobody, body: limits });
    await ask(server, getBudget, 'success', { params: scout });
    await ask(server, getBudget, 'invalid_agent_id', { params: badId });
    await ask(server, getBudget, 'agent_not_found', { params: nobody });
    await ask(server, getBudget, 'root_changed', { params: scout, query: { directory: '/elsewhere' } });
    await ask(server, listBudgets, 'success', { label: 'of an agent' });
    const report = { run: 'one', state: 'waiting' } as const;
    await ask(server, reportStatus, 'success', { params: scout, body: report });
    await ask(server, reportStatus, 'invalid_request', { params: scout, body: { ...report, run: '..' } });
    await ask(server, reportStatus, 'invalid_agent_id', { params: badId, body: report });
    await ask(server, reportStatus, 'agent_not_found', { params: nobody, body: report });
    const elsewhere = { ...report, directory: '/elsewhere' };
    await ask(server, reportStatus, 'root_changed', { params: scout, body: elsewhere });
    await ask(server, listStatus, 'success');
    await ask(server, showTerminal, 'terminal_not_shown', { params: scout });
    await ask(server, showTerminal, 'invalid_agent_id', { params: badId });
    await ask(server, showTerminal, 'agent_not_found', { params: nobody });
    const terminal = { host: hostname(), wezterm: { pane: 1 } };
    await ask(server, reportStatus, 'success', {
      label: 'in a terminal',
      params: scout,
      body: { ...report, terminal },
    });
    const operator = { Authorization: `Bearer ${server.operatorToken}` };
    await ask(server, listStatus, 'success', { label: 'for the operator', headers: operator });
    await ask(server, showTerminal, 'success', { params: scout });
    await ask(server, getUsage, 'success');
    await ask(server, listLastRuns, 'success');
    await ask(server, getUsage, 'invalid_agent_id', { query: { agent: '-x' } });
    await ask(server, getUsage, 'operator_required', {
      query: { groupBy: 'session' },
      headers: { Authorization: '' },
    });
    await ask(server, listSessions, 'success', { params: scout });
    await ask(server, listSessions, 'invalid_agent_id', { params: badId });
    await ask(server, listSessions, 'agent_not_found', { params: nobody });
    await ask(server, agents.getAgent, 'success', { params: scout });
    await ask(server, agents.getAgent, 'invalid_agent_id', { params: badId });
    await ask(server, agents.getAgent, 'agent_not_found', { params: nobody });

    await ask(server, agents.getRunCommand, 'success', { params: scout });
    await ask(server, agents.getRunCommand, 'invalid_agent_id', { params: badId });
    await ask(server, agents.getRunCommand, 'agent_not_found', { params: nobody });
    const odd = await serve(
      await makeRoot({
        'agents/worker/workspace.conf': 'notes\n../out\n',
        'agents/file_not_found/pi-args': { link: 'nowhere' },
        'agents/outside_root/pi-args': { link: '/etc/passwd' },
        'agents/not_text/pi-args': Uint8Array.of(0),
        'agents/not_a_file/pi-args': null,
        'agents/file_too_large/pi-args': '#'.repeat(MAX_FILE_BYTES + 1),
      }),
    );
    await ask(odd, agents.getRunCommand, 'success', { params: { id: 'worker' }, label: 'in a workspace' });
    for (const id of ['file_not_found', 'outside_root', 'not_text', 'not_a_file', 'file_too_large'] as const)
      await ask(odd, agents.getRunCommand, id, { params: { id } });

    await ask(server, getPrompt, 'success', { params: scout });
    const sessions = 'agents/scout/sessions/--work--';
    await plant(root, { [`${sessions}/one.jsonl`]: await readFile(SESSION, 'utf8') });
    await ask(server, getPrompt, 'success', {
      params: scout,
      headers: { Authorization: `Bearer ${server.operatorToken}` },
      label: 'to the operator',
    });
    await ask(server, getReadiness, 'success', { params: scout });
    await ask(server, listSignIns, 'success');
    await ask(server, getReadiness, 'invalid_agent_id', { params: badId });
    await ask(server, getReadiness, 'agent_not_found', { params: nobody });
    await ask(server, getCost, 'success', { params: scout, depth: 3 });
    await ask(server, getCost, 'invalid_agent_id', { params: badId });
    await ask(server, getCost, 'agent_not_found', { params: nobody });
    await ask(server, getCost, 'unknown_model', { params: scout, query: { model: 'nothing' } });
    await ask(server, getPrompt, 'invalid_agent_id', { params: badId });
    await ask(server, getPrompt, 'agent_not_found', { params: nobody });
    await ask(server, getPrompt, 'outside_root', { params: scout, query: { cwd: '/' } });
    const script = join(root, 'setup.sh');
    await ask(server, getPrompt, 'not_a_directory', { params: scout, query: { cwd: script } });

    await ask(server, agents.createAgent, 'root_not_trusted', create);
    await trustRoot(server);
    await ask(server, agents.createAgent, 'success', { body: { name: 'new', workspace: true } });
    await ask(server, agents.createAgent, 'agent_exists', create);
    await ask(server, agents.createAgent, 'invalid_agent_id', { body: { name: '-x' } });
    await replaceScript(server, 'echo no >&2; exit 3');
    const other = { body: { name: 'other' } };
    await ask(server, agents.createAgent, 'setup_script_failed', other);
    await chmod(join(root, 'setup.sh'), 0o644);
    await ask(server, agents.createAgent, 'setup_script_failed', { ...other, label: 'not started' });
    await chmod(join(root, 'setup.sh'), 0o755);
    await replaceScript(server, 'sleep 600');
    const hasty = await serve(root, { setupTimeoutMs: 300 });
    await trustRoot(hasty);
    await ask(hasty, agents.createAgent, 'setup_script_timeout', other);
    await rm(join(root, 'setup.sh'));
    await ask(server, agents.createAgent, 'setup_script_missing', other);

    const copy = { params: scout, body: { name: 'copy' } };
    await ask(server, agents.duplicateAgent, 'success', copy);
    await ask(server, agents.duplicateAgent, 'agent_exists', copy);
    await ask(server, agents.duplicateAgent, 'invalid_agent_id', { params: scout, body: { name: '-x' } });
    await ask(server, agents.duplicateAgent, 'agent_not_found', { params: nobody, body: { name: 'x' } });

    const confirm = (id: string) => ({ params: { id }, body: { confirm: id } });
    await ask(server, agents.deleteAgent, 'confirm_mismatch', { params: scout, body: { confirm: 'x' } });
    await ask(server, agents.deleteAgent, 'success', confirm('copy'));
    await ask(server, agents.deleteAgent, 'agent_not_found', confirm('nobody'));
    await ask(server, agents.deleteAgent, 'invalid_agent_id', confirm('-x'));
  }),
);

test('the wire of the sessions is as recorded', { tags: 'slow' }, () =>
  recordWire('sessions', async (ask) => {
    const parcels = makeSession();
    parcels.say('Hello');
    parcels.call({ input: 10, output: 1, usd: 0.5 });
    parcels.rename('Parcels');
    const copies: readonly string[] = [
      'scout',
      'file_not_found',
      'outside_root',
      'not_text',
      'not_a_file',
      'file_too_large',
    ];
    const elsewhere = makeSession();
    elsewhere.call({ input: 10 });
    const root = await makeRoot({
      ...Object.fromEntries(copies.map((id) => [`agents/${id}/sessions/one.jsonl`, parcels.text()])),
      'agents/scout/sessions/two.jsonl': usedSession(),
      'agents/file_not_found/pi-args': { link: 'nowhere' },
      'agents/outside_root/pi-args': { link: '/etc/passwd' },
      'agents/not_text/pi-args': Uint8Array.of(0),
      'agents/not_a_file/pi-args': null,
      'agents/file_too_large/pi-args': '#'.repeat(MAX_FILE_BYTES + 1),
      'workspaces/retired/now/sessions/three.jsonl': elsewhere.text(),
    });
    const server = await serve(root);
    const one = { session: parcels.id };
    const ofScout = { params: one, query: { agent: 'scout' } };
    const page = await ask(server, sessions.readSession, 'success', {
      params: one,
      query: { agent: 'scout', limit: '2' },
    });
    for (const endpoint of [sessions.readSession, sessions.getResumeCommand, sessions.deleteSession]) {
      await ask(server, endpoint, 'session_not_found', { params: { session: 'nobody' } });
      await ask(server, endpoint, 'invalid_agent_id', { params: one, query: { agent: '-x' } });
    }
    await ask(server, sessions.getResumeCommand, 'success', ofScout);
    await ask(server, sessions.getResumeCommand, 'agent_not_found', { params: { session: elsewhere.id } });
    for (const agent of [
      'file_not_found',
      'outside_root',
      'not_text',
      'not_a_file',
      'file_too_large',
    ] as const)
      await ask(server, sessions.getResumeCommand, agent, { params: one, query: { agent } });
    await plant(root, {
      'agents/scout/sessions/one.jsonl': `${parcels.text()} \n`.replace('Hello', 'Hullo'),
    });
    const again = { ...ofScout.query, cursor: page.body.nextCursor.replace(/\.[^.]+\./, '.99999999.') };
    await ask(server, sessions.readSession, 'session_changed', { params: one, query: again });
    const { entry } = (await ask(server, sessions.deleteSession, 'success', ofScout)).body;
    await ask(server, trash.listTrash, 'success', { label: 'of a session' });
    await plant(root, { 'agents/scout/sessions/one.jsonl': 'x' });
    await ask(server, trash.restoreFromTrash, 'session_exists', { params: { entry } });
    await rm(join(root, 'agents/scout/sessions'), { recursive: true });
    await writeFile(join(root, 'agents/scout/sessions'), 'x');
    await ask(server, trash.restoreFromTrash, 'not_a_directory', { params: { entry } });
    await rm(join(root, 'agents/scout'), { recursive: true });
    await ask(server, trash.restoreFromTrash, 'agent_not_found', { params: { entry } });
  }),
);

test('the wire of the trash is as recorded', () =>
  recordWire('trash', async (ask) => {
    const server = await serve(await makeRoot());
    const remove = async () =>
      (await server.call('DELETE', '/api/agents/scout', { confirm: 'scout' })).body.entry as string;
    const entry = await remove();
    await ask(server, trash.listTrash, 'success');
    await ask(server, trash.restoreFromTrash, 'success', { params: { entry } });
    await ask(server, trash.restoreFromTrash, 'trash_entry_not_found', { params: { entry } });
    const second = await remove();
    await plant(server.rootPath, { 'agents/scout/SYSTEM.md': 'Another.\n' });
    await ask(server, trash.restoreFromTrash, 'agent_exists', { params: { entry: second } });
    await ask(server, trash.restoreFromTrash, 'invalid_agent_id', {
      params: { entry: second },
      query: { name: '-x' },
    });
    await writeFile(join(server.rootPath, '.trash', second, 'entry.json'), 'damaged');
    await ask(server, trash.listTrash, 'success', { label: 'damaged' });
    await ask(server, trash.restoreFromTrash, 'trash_entry_unreadable', { params: { entry: second } });
    await ask(server, trash.removeFromTrash, 'success', { params: { entry: second } });
    await ask(server, trash.removeFromTrash, 'trash_entry_not_found', { params: { entry: second } });
  }));

test('the wire of trusting the root is as recorded', () =>
  recordWire('trust', async (ask) => {
    const root = await makeRoot();
    const server = await serve(root);
    await ask(server, listRoots, 'success');
    await ask(server, changePreferences, 'success', {
      body: { preferences: { theme: 'dark', recent: null } },
    });
    await ask(server, getPreferences, 'success');
    const { body } = await ask(server, rootApi.getRootTrust, 'success', { label: 'new' });
    const { sha256 } = body.script;
    await ask(server, rootApi.trustRoot, 'script_changed', { body: { sha256: '0'.repeat(64) } });
    await ask(server, rootApi.trustRoot, 'success', { body: { sha256 } });
    await ask(server, rootApi.getRootTrust, 'success', { label: 'trusted' });
    await ask(server, rootApi.withdrawRootTrust, 'success');

    await rm(join(root, 'setup.sh'));
    await ask(server, rootApi.getRootTrust, 'success', { label: 'no script' });
    await ask(server, rootApi.trustRoot, 'setup_script_missing', { body: { sha256 } });

    await plant(root, { 'setup.sh': null });
    await ask(server, rootApi.getRootTrust, 'setup_script_failed');
    await ask(server, rootApi.trustRoot, 'setup_script_failed', { body: { sha256 } });
    await ask(server, rootApi.withdrawRootTrust, 'setup_script_failed');
  }));

test('the wire of setting up a root is as recorded', () =>
  recordWire('root', async (ask) => {
    const server = await serve(await makeRoot());
    const path = await makeTempDirectory();
    await ask(server, rootApi.checkRoot, 'success', { query: { path } });
    await ask(server, rootApi.checkRoot, 'invalid_request', { query: { path: 'relative' } });
    await ask(server, rootApi.setUpRoot, 'success', { body: { path } });
    await ask(server, rootApi.setUpRoot, 'not_a_directory', { body: { path: join(path, 'setup.sh') } });
    await ask(server, rootApi.checkRoot, 'success', { query: { path }, label: 'set up' });
  }));

test('the wire of the drafts is as recorded', () =>
  recordWire('drafts', async (ask) => {
    const server = await serve(await makeRoot());
    const params = { id: 'scout', writer: 'writer-one' };
    const bad = { id: '-x', writer: 'writer-one' };
    const file = { path: 'SYSTEM.md' };
    const body = {
      ...file,
      text: 'Typed.',
      base: { content: '', etag: null },
      typedAt: '2026-11-23T10:00:00.000Z',
    };
    const { version } = (await ask(server, drafts.writeDraft, 'success', { params, body })).body;
    const replaces = { writer: 'writer-two', version };
    const more = { params, body: { ...body, replaces }, label: 'replaces another' };
    const next = (await ask(server, drafts.writeDraft, 'success', more)).body.version;
    await ask(server, drafts.writeDraft, 'invalid_agent_id', { params: bad, body });
    await ask(server, drafts.writeDraft, 'invalid_file_name', { params, body: { ...body, path: 'x' } });
    const large = { ...body, text: 'x'.repeat(drafts.MAX_DRAFT_BYTES + 1) };
    await ask(server, drafts.writeDraft, 'file_too_large', { params, body: large });
    await ask(server, drafts.listDrafts, 'success');
    await ask(server, drafts.readDraft, 'success', { params, query: file });
    await ask(server, drafts.readDraft, 'invalid_agent_id', { params: bad, query: file });
    await ask(server, drafts.readDraft, 'invalid_file_name', { params, query: { path: 'x' } });
    await ask(server, drafts.readDraft, 'draft_not_found', { params, query: { path: 'pi-args' } });
    const remove = (of: string, path = 'SYSTEM.md') => ({ query: { path, version: of } });
    await ask(server, drafts.deleteDraft, 'invalid_agent_id', { params: bad, ...remove(next) });
    await ask(server, drafts.deleteDraft, 'invalid_file_name', { params, ...remove(next, 'x') });
    await ask(server, drafts.deleteDraft, 'draft_changed', { params, ...remove(version) });
    await ask(server, drafts.deleteDraft, 'success', { params, ...remove(next) });
  }));

test('the wire of the files is as recorded', () =>
  recordWire('files', async (ask) => {
    const large = 'x'.repeat(MAX_FILE_BYTES + 1);
    const outside = join(await makeTempDirectory(), 'outside.md');
    await writeFile(outside, 'Not yours.\n');
    const server = await serve(
      await makeRoot({
        'agents/odd/pi-args': null,
        'agents/odd/SYSTEM.md': new Uint8Array([0xff, 0xfe, 0xfd]),
        'agents/odd/APPEND_SYSTEM.md': large,
        'agents/odd/AGENT.md': { link: outside },
        'agents/odd/gone': { link: 'nowhere' },
      }),
    );
    await ask(server, listEntries, 'success', { params: { id: 'odd' } });
    await ask(server, listEntries, 'invalid_agent_id', { params: badId });
    await ask(server, listEntries, 'agent_not_found', { params: nobody });
    const read = (id: string, path: string) => ({ params: { id }, query: { path } });
    await ask(server, files.readFile, 'success', read('scout', 'SYSTEM.md'));
    await ask(server, files.readFile, 'success', { ...read('scout', 'AGENT.md'), label: 'missing' });
    await ask(server, files.readFile, 'invalid_agent_id', read('-x', 'SYSTEM.md'));
    await ask(server, files.readFile, 'invalid_file_name', read('scout', 'notes.md'));
    await ask(server, files.readFile, 'agent_not_found', read('nobody', 'SYSTEM.md'));
    await ask(server, files.readFile, 'outside_root', read('odd', 'AGENT.md'));
    await ask(server, files.readFile, 'not_a_file', read('odd', 'pi-args'));
    await ask(server, files.readFile, 'not_text', read('odd', 'SYSTEM.md'));
    await ask(server, files.readFile, 'file_too_large', read('odd', 'APPEND_SYSTEM.md'));

    const write = (id: string, path: string, headers: Record<string, string> = {}) => ({
      params: { id },
      headers,
      body: { path, content: 'New.\n' },
    });
    const { body } = await ask(server, files.writeFile, 'success', write('scout', 'SYSTEM.md'));
    await ask(server, files.writeFile, 'success', {
      ...write('scout', 'AGENT.md', { 'If-None-Match': '*' }),
      label: 'created',
    });
    await ask(server, files.writeFile, 'success', {
      ...write('scout', 'SYSTEM.md', { 'If-Match': body.etag }),
      label: 'unchanged',
    });
    const stale = { 'If-Match': `"${'0'.repeat(64)}"` };
    await ask(server, files.writeFile, 'file_changed', write('scout', 'SYSTEM.md', stale));
    await ask(server, files.writeFile, 'file_changed', {
      ...write('scout', 'workspace.conf', stale),
      label: 'missing',
    });
    await ask(server, files.writeFile, 'invalid_agent_id', write('-x', 'SYSTEM.md'));
    await ask(server, files.writeFile, 'invalid_file_name', write('scout', 'notes.md'));
    await ask(server, files.writeFile, 'agent_not_found', write('nobody', 'SYSTEM.md'));
    await ask(server, files.writeFile, 'linked_file', write('odd', 'AGENT.md'));
    await ask(server, files.writeFile, 'not_a_file', write('odd', 'pi-args'));
    await ask(server, files.writeFile, 'not_text', write('odd', 'SYSTEM.md', stale));
    await ask(server, files.writeFile, 'file_too_large', {
      params: scout,
      body: { path: 'SYSTEM.md', content: large },
    });
    await rm(join(server.rootPath, 'agents/scout/pi-args'));
    await ask(server, files.readFile, 'file_not_found', read('scout', 'pi-args'));
  }));

test('the wire of the MCP servers is as recorded', () =>
  recordWire('mcp', async (ask) => {
    const outside = join(await makeTempDirectory(), 'outside.json');
    await writeFile(outside, '{}');
    const large = 'x'.repeat(MAX_FILE_BYTES + 1);
    const server = await serveOperator(
      await makeRoot({
        'agents/scout/mcp.json': JSON.stringify({
          mcpServers: {
            files: {
              ...{ command: 'npx', args: ['-y', '--token=Zq4T8vW1nB6x'], cwd: '.', timeout: 5, future: 1 },
              env: { KEY: '$KEY', SECRET: 'Zq4T8vW1nB6x' },
            },
            docs: {
              ...{ url: 'https://docs.example/?key=Zq4T8vW1nB6x', exposure: 'direct', enabled: false },
              headers: { Authorization: 'Bearer $TOKEN' },
            },
            old: { type: 'sse', description: 'Old.' },
          },
        }),
        'agents/outside_root/mcp.json': { link: outside },
        'agents/file_not_found/mcp.json': { link: 'nowhere' },
        'agents/not_a_file/mcp.json': null,
        'agents/not_text/mcp.json': Uint8Array.of(0),
        'agents/file_too_large/mcp.json': large,
        'agents/mcp_unreadable/mcp.json': '[]',
      }),
    );
    await ask(server, mcp.getMcp, 'success', { params: scout });
    await ask(server, mcp.getMcp, 'success', { params: { id: 'mcp_unreadable' }, label: 'unreadable' });
    const unreadable = [
      'file_not_found',
      'outside_root',
      'not_a_file',
      'not_text',
      'file_too_large',
    ] as const;
    for (const id of unreadable) await ask(server, mcp.getMcp, id, { params: { id } });
    await ask(server, mcp.getMcp, 'invalid_agent_id', { params: badId });
    await ask(server, mcp.getMcp, 'agent_not_found', { params: nobody });
    await ask(server, mcp.listMcp, 'success');
  }));

const NAMES = {
  extensions: 'say.ts',
  skills: 'git-summary',
  prompts: 'review.md',
  themes: 'quiet.json',
} as const;

/** What the small root lacks. */
const FILES = {
  'shared/prompts/review.md': '---\ndescription: Review.\nargument-hint: "[focus]"\n---\nReview $1.\n',
  'shared/themes/quiet.json': '{ "name": "quiet" }\n',
};

test('the wire of the history is as recorded', () =>
  recordWire('changes', async (ask) => {
    const server = await serve(await makeRoot());
    const link = { agent: 'scout', link: { kind: 'skills', name: 'git-summary' }, to: 'shared' };
    const change = (item: object) => ({ body: { label: 'Two things', items: [link, item] } });
    const file = { agent: 'scout', file: 'AGENT.md', content: 'Text.\n' };
    const { body: made } = await ask(server, changes.makeChanges, 'success', change(file));
    await ask(server, changes.makeChanges, 'success', {
      ...change({ ...file, content: 'x', ifNoneMatch: '*' }),
      label: 'refused',
    });
    await ask(server, changes.makeChanges, 'invalid_agent_id', change({ ...file, agent: '..' }));
    await ask(server, changes.makeChanges, 'invalid_file_name', change({ ...file, file: 'auth.json' }));
    const hidden = { ...link, link: { kind: 'skills', name: '.hidden' } };
    await ask(server, changes.makeChanges, 'invalid_name', change(hidden));
    await ask(server, changes.listChanges, 'success', { query: { agent: 'scout' } });
    await ask(server, changes.listChanges, 'success', {
      query: { shared: 'skills/git-summary' },
      label: 'shared',
    });
    await ask(server, changes.listChanges, 'invalid_agent_id', { query: { agent: '..' } });
    await ask(server, changes.listChanges, 'invalid_name', { query: { shared: 'skills' } });
    const ids = { params: { change: made.change } };
    await ask(server, changes.getChange, 'success', ids);
    await ask(server, changes.finishChange, 'success', ids);
    await server.call('PUT', '/api/agents/scout/file', { path: 'AGENT.md', content: 'Other.\n' });
    const headers = { Authorization: `Bearer ${server.operatorToken}` };
    await ask(server, changes.undoChange, 'operator_required', ids);
    await ask(server, changes.undoChange, 'success', { ...ids, headers });
    await ask(server, changes.restoreChange, 'success', ids);
    const unknown = { params: { change: 'unknown' } };
    for (const endpoint of [
      changes.getChange,
      changes.finishChange,
      changes.undoChange,
      changes.restoreChange,
    ])
      await ask(server, endpoint, 'change_not_found', unknown);
  }));

test('the wire of the links is as recorded', { tags: 'slow' }, () =>
  recordWire('links', async (ask) => {
    const outside = await makeTempDirectory();
    const tree: Tree = Object.fromEntries(
      LINK_KINDS.flatMap((kind) => [
        [`agents/scout/${kind}/dangling`, { link: `../../../shared/${kind}/gone` }],
        [`agents/scout/${kind}/own.ts`, 'Mine.\n'],
        [`agents/file/${kind}`, 'Not a directory.\n'],
        [`agents/out/${kind}`, { link: outside }],
        [`shared/${kind}/gone/again.md`, ''],
      ]),
    );
    const server = await serve(await makeRoot({ ...tree, ...FILES }));
    for (const kind of LINK_KINDS) {
      const { list, create: link, remove } = links[kind];
      const name = NAMES[kind];
      await rm(join(server.rootPath, 'shared', kind, 'gone'), { recursive: true });
      await ask(server, link, 'success', { params: scout, body: { name } });
      await ask(server, list, 'success', { params: scout });
      await ask(server, link, 'link_exists', { params: scout, body: { name } });
      await ask(server, link, 'shared_entry_not_found', { params: scout, body: { name: 'nothing' } });
      await ask(server, link, 'invalid_name', { params: scout, body: { name: '.hidden' } });
      await ask(server, remove, 'link_not_found', { params: { ...scout, name: 'nothing' } });
      await ask(server, remove, 'not_a_link', { params: { ...scout, name: 'own.ts' } });
      await ask(server, remove, 'invalid_name', { params: { ...scout, name: '.hidden' } });
      await ask(server, remove, 'success', { params: { ...scout, name } });
      for (const [code, params] of [
        ['invalid_agent_id', badId],
        ['agent_not_found', nobody],
        ['not_a_directory', { id: 'file' }],
      ] as const) {
        await ask(server, list, code, { params });
        await ask(server, link, code, { params, body: { name } });
        await ask(server, remove, code, { params: { ...params, name } });
      }
      await ask(server, list, 'outside_root', { params: { id: 'out' } });
    }
    await ask(server, countLinks, 'success');
    const group = (agent: string, ...names: string[]) => ({ agent, kind: 'skills', names });
    const change = { link: [group('scout', 'nothing')], unlink: [group('scout', 'dangling', 'own.ts')] };
    await ask(server, changeLinks, 'success', { body: change });
    await ask(server, changeLinks, 'invalid_agent_id', { body: { link: [group('-x', 'a')] } });
    await ask(server, changeLinks, 'invalid_name', { body: { link: [group('scout', '.a')] } });
    await ask(server, getLinkMatrix, 'success', { query: { kind: 'skills' } });

    const sharedOutside = await makeRoot();
    await rm(join(sharedOutside, 'shared'), { recursive: true });
    await plant(sharedOutside, {
      'shared/extensions': { link: outside },
      'shared/skills': { link: outside },
      'shared/prompts': { link: outside },
      'shared/themes': { link: outside },
    });
    const other = await serve(sharedOutside);
    for (const kind of LINK_KINDS) {
      await ask(other, links[kind].create, 'outside_root', { params: scout, body: { name: 'x' } });
    }
    await ask(other, catalog.listExtensions, 'outside_root');
    await ask(other, catalog.listSkills, 'outside_root');
    await ask(other, catalog.listPromptTemplates, 'outside_root');
    await ask(other, catalog.listThemes, 'outside_root');
    for (const kind of LINK_KINDS) await ask(other, catalog.listUsage[kind], 'outside_root');
    await ask(other, getLinkMatrix, 'outside_root', { query: { kind: 'skills' } });
  }),
);

test('the wire of the catalog is as recorded', () =>
  recordWire('catalog', async (ask) => {
    const server = await serve(
      await makeRoot({
        'agents/scout/extensions/say.ts': { link: '../../../shared/extensions/say.ts' },
        'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
        'shared/extensions/big/package.json': '{"description":"Big."}',
        'shared/extensions/big/index.ts': 'export default () => {};\n',
        'shared/extensions/empty': null,
        'shared/skills/broken/SKILL.md': '---\nname: [\n---\n',
        'shared/skills/outside_root/SKILL.md': { link: '/etc/passwd' },
        'shared/skills/not_text/SKILL.md': Uint8Array.of(0),
        'shared/skills/not_a_file/SKILL.md': null,
        'shared/skills/file_too_large/SKILL.md': '#'.repeat(MAX_FILE_BYTES + 1),
        ...FILES,
        'agents/scout/prompts/review.md': { link: '../../../shared/prompts/review.md' },
        'agents/scout/themes/quiet.json': { link: '../../../shared/themes/quiet.json' },
        ...Object.fromEntries(
          (['prompts', 'themes'] as const).flatMap((kind) => {
            const at = (name: string) => `shared/${kind}/${name}${LINK_KIND_SHAPES[kind].fileEnding}`;
            return [
              [at('outside_root'), { link: '/etc/passwd' }],
              [at('not_text'), Uint8Array.of(0)],
              [at('not_a_file'), null],
              [at('file_too_large'), '#'.repeat(MAX_FILE_BYTES + 1)],
            ];
          }),
        ),
      }),
    );
    await ask(server, catalog.listExtensions, 'success');
    await ask(server, catalog.listSkills, 'success');
    await ask(server, catalog.listPromptTemplates, 'success');
    await ask(server, catalog.listThemes, 'success');
    for (const kind of LINK_KINDS) await ask(server, catalog.listUsage[kind], 'success');

    for (const kind of ['skills', 'prompts', 'themes'] as const) {
      const read = catalog.readEntryText[kind];
      const entry = { name: NAMES[kind] };
      await ask(server, read, 'success', { params: entry });
      await ask(server, read, 'success', {
        params: entry,
        query: { agent: 'scout' },
        label: 'of an agent',
      });
      await ask(server, read, 'invalid_name', { params: { name: '.x' } });
      await ask(server, read, 'invalid_agent_id', { params: entry, query: { agent: '-x' } });
      await ask(server, read, 'agent_not_found', { params: entry, query: { agent: 'nobody' } });
      await ask(server, read, 'file_not_found', { params: { name: 'nobody' } });
      const { fileEnding = '' } = LINK_KIND_SHAPES[kind];
      for (const name of ['outside_root', 'not_text', 'not_a_file', 'file_too_large'] as const)
        await ask(server, read, name, { params: { name: `${name}${fileEnding}` } });
    }
  }));

test('the wire of a missing root is as recorded', { tags: 'slow' }, () =>
  recordWire('no-root', async (ask) => {
    const root = await makeRoot();
    const server = await serve(root);
    await trustRoot(server);
    const { rootId } = (await server.call('GET', '/api/health')).body;
    const budgets = join(server.dataDirectory, `data/budgets/${rootId}.json`);
    await plant(server.dataDirectory, { [`data/budgets/${rootId}.json`]: 'damaged' });
    await ask(server, listBudgets, 'budgets_damaged');
    await ask(server, getBudget, 'budgets_damaged', { params: scout });
    await ask(server, setBudget, 'budgets_damaged', { params: scout, body: {} });
    await rm(root, { recursive: true });
    const kept = { scout: { limits: { usdPerDay: 1 }, reported: {} } };
    await writeFile(budgets, JSON.stringify({ version: 1, agents: kept }));
    await ask(server, listBudgets, 'root_unavailable');
    await ask(server, getBudget, 'root_unavailable', { params: scout });
    await ask(server, setBudget, 'root_unavailable', { params: scout, body: {} });
    await ask(server, reportStatus, 'root_unavailable', {
      params: scout,
      body: { run: 'one', state: 'done' },
    });
    await ask(server, showTerminal, 'root_unavailable', { params: scout });
    const name = { name: 'say.ts' };
    await ask(server, agents.listAgents, 'root_unavailable');
    await ask(server, agents.getAgent, 'root_unavailable', { params: scout });
    await ask(server, agents.getRunCommand, 'root_unavailable', { params: scout });
    await ask(server, getPrompt, 'root_unavailable', { params: scout });
    await ask(server, getCost, 'root_unavailable', { params: scout });
    await ask(server, getReadiness, 'root_unavailable', { params: scout });
    await ask(server, agents.createAgent, 'root_unavailable', create);
    await ask(server, agents.duplicateAgent, 'root_unavailable', { params: scout, ...create });
    await ask(server, agents.deleteAgent, 'root_unavailable', {
      params: scout,
      body: { confirm: 'scout' },
    });
    await ask(server, listEntries, 'root_unavailable', { params: scout });
    await ask(server, getLinkMatrix, 'root_unavailable', { query: { kind: 'skills' } });
    await ask(server, changeLinks, 'root_unavailable', { body: {} });
    await ask(server, changes.listChanges, 'root_unavailable', { query: { agent: 'scout' } });
    await ask(server, files.readFile, 'root_unavailable', { params: scout, query: { path: 'SYSTEM.md' } });
    await ask(server, files.writeFile, 'root_unavailable', {
      params: scout,
      body: { path: 'SYSTEM.md', content: '' },
    });
    await ask(server, mcp.getMcp, 'root_unavailable', { params: scout });
    await ask(server, mcp.listMcp, 'root_unavailable');
    await ask(server, catalog.listExtensions, 'root_unavailable');
    await ask(server, catalog.listSkills, 'root_unavailable');
    await ask(server, catalog.listPromptTemplates, 'root_unavailable');
    await ask(server, catalog.listThemes, 'root_unavailable');
    for (const read of Object.values(catalog.readEntryText))
      await ask(server, read, 'root_unavailable', { params: { name: 'x' } });
    await ask(server, listProfiles, 'root_unavailable');
    await ask(server, countLinks, 'root_unavailable');
    await ask(server, searchPrompts, 'root_unavailable', { query: { q: 'scout' } });
    await ask(server, getUsage, 'root_unavailable');
    await ask(server, listLastRuns, 'root_unavailable');
    await ask(server, getEarnings, 'root_unavailable');
    await ask(server, listSessions, 'root_unavailable', { params: scout });
    for (const kind of LINK_KINDS) {
      await ask(server, catalog.listUsage[kind], 'root_unavailable');
      await ask(server, links[kind].list, 'root_unavailable', { params: scout });
      await ask(server, links[kind].create, 'root_unavailable', { params: scout, body: name });
      await ask(server, links[kind].remove, 'root_unavailable', { params: { ...scout, ...name } });
    }
    for (const endpoint of [sessions.readSession, sessions.getResumeCommand, sessions.deleteSession])
      await ask(server, endpoint, 'root_unavailable', { params: { session: 'x' } });
    await ask(server, trash.listTrash, 'root_unavailable');
    await ask(server, trash.restoreFromTrash, 'root_unavailable', { params: { entry: 'x' } });
    await ask(server, trash.removeFromTrash, 'root_unavailable', { params: { entry: 'x' } });
    await ask(server, rootApi.getRootTrust, 'root_unavailable');
    await ask(server, rootApi.trustRoot, 'root_unavailable', { body: { sha256: '0'.repeat(64) } });
    await ask(server, rootApi.withdrawRootTrust, 'root_unavailable');
    expect(server.rootPath).toBe(root);
  }),
);

test('the wire of adding the skill and the extension of dot-mi is as recorded', () =>
  recordWire('bundled-skill', async (ask) => {
    const root = await makeRoot();
    const server = await serve(root);
    await ask(server, catalog.uninstallSkill, 'shared_entry_not_found');
    await ask(server, catalog.installSkill, 'success');
    await ask(server, catalog.installSkill, 'success', { label: 'again' });
    await ask(server, catalog.uninstallSkill, 'success');
    await plant(root, { 'shared/skills/dot-mi/SKILL.md': 'mine' });
    await ask(server, catalog.installSkill, 'skill_differs');
    await ask(server, catalog.uninstallSkill, 'skill_differs');
    await rm(join(root, 'shared/skills'), { recursive: true });
    await plant(root, { 'shared/skills': 'a file' });
    await ask(server, catalog.installSkill, 'not_a_directory');
    await rm(join(root, 'shared/skills'));
    await plant(root, { 'shared/skills': { link: await makeTempDirectory() } });
    await ask(server, catalog.installSkill, 'outside_root');
    await ask(server, catalog.uninstallSkill, 'outside_root');
    await ask(server, catalog.installStatusExtension, 'success');
    await ask(server, catalog.installStatusExtension, 'success', { label: 'again' });
    await rm(join(root, 'shared/extensions'), { recursive: true });
    await plant(root, { 'shared/extensions': 'a file' });
    await ask(server, catalog.installStatusExtension, 'not_a_directory');
    await rm(join(root, 'shared/extensions'));
    await plant(root, { 'shared/extensions': { link: await makeTempDirectory() } });
    await ask(server, catalog.installStatusExtension, 'outside_root');
    await rm(root, { recursive: true });
    await ask(server, catalog.installSkill, 'root_unavailable');
    await ask(server, catalog.installStatusExtension, 'root_unavailable');
  }));
