import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import * as checks from '../../../src/shared/api/checks.ts';
import { MAX_FILE_BYTES } from '../../../src/shared/api/names.ts';
import { getReadiness, listSignIns } from '../../../src/shared/api/readiness.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { recordWire } from './record.ts';

const scout = { id: 'scout' };
const SEVERAL = '--model local/qwen\r\n';

test('the wire of the checks is as recorded', () =>
  recordWire('checks', async (ask) => {
    const root = await makeRoot({
      'agents/scout/pi-args': SEVERAL,
      'agents/scout/AGENT.md': 'Nobody reads it.\n',
      'agents/scout/skills/git-summary': { link: '../../../shared/skills/git-summary' },
      'agents/linked/pi-args': { link: '../../shared/args' },
      'agents/large/pi-args': `${SEVERAL}#${'x'.repeat(MAX_FILE_BYTES - SEVERAL.length - 1)}`,
      'shared/args': SEVERAL,
      'shared/skills/git-summary/SKILL.md': '---\nname: other\ndescription: Summarises.\n---\n',
    });
    const server = await serve(root);
    const bodyFor = async (id: string) => {
      const { body } = await server.call('GET', `/api/agents/${id}/checks`);
      const found = body.findings.find(({ rule }: { rule: string }) => rule === 'pi-args-several-tokens');
      const { rule, file, line, column } = found;
      const place = { rule, file, line, column };
      return { findings: [place, { ...place, line: line + 1 }], etags: { 'pi-args': body.etags['pi-args'] } };
    };
    await ask(server, checks.countFindings, 'success');
    await ask(server, checks.checkAgent, 'success', { params: scout });
    await ask(server, checks.checkAgent, 'invalid_agent_id', { params: { id: '-x' } });
    await ask(server, checks.checkAgent, 'agent_not_found', { params: { id: 'nobody' } });
    await ask(server, checks.checkSharedSkill, 'success', { params: { name: 'git-summary' } });
    await ask(server, checks.checkSharedSkill, 'invalid_name', { params: { name: '.x' } });
    await ask(server, checks.checkSharedSkill, 'shared_entry_not_found', { params: { name: 'none' } });

    const body = await bodyFor('scout');
    const [place] = body.findings;
    await ask(server, checks.fixFindings, 'invalid_agent_id', { params: { id: '-x' }, body });
    await ask(server, checks.fixFindings, 'agent_not_found', { params: { id: 'nobody' }, body });
    await ask(server, checks.fixFindings, 'invalid_file_name', {
      params: scout,
      body: { findings: [{ ...place, file: 'notes' }], etags: {} },
    });
    await ask(server, checks.fixFindings, 'success', { params: scout, body });
    await writeFile(join(root, 'agents/scout/pi-args'), '--no-session\n');
    await ask(server, checks.fixFindings, 'file_changed', { params: scout, body });
    await ask(server, checks.fixFindings, 'linked_file', {
      params: { id: 'linked' },
      body: await bodyFor('linked'),
    });
    await ask(server, checks.fixFindings, 'file_too_large', {
      params: { id: 'large' },
      body: await bodyFor('large'),
    });

    await rm(join(root, 'shared/skills'), { recursive: true });
    await plant(root, { 'shared/skills': { link: await makeTempDirectory() } });
    await ask(server, checks.countFindings, 'outside_root');
    await ask(server, checks.checkAgent, 'outside_root', { params: scout });
    await ask(server, getReadiness, 'outside_root', { params: scout });
    await ask(server, checks.checkSharedSkill, 'outside_root', { params: { name: 'git-summary' } });
    await ask(server, checks.fixFindings, 'outside_root', { params: scout, body });
    await rm(root, { recursive: true });
    await ask(server, checks.countFindings, 'root_unavailable');
    await ask(server, listSignIns, 'root_unavailable');
    await ask(server, checks.checkAgent, 'root_unavailable', { params: scout });
    await ask(server, checks.checkSharedSkill, 'root_unavailable', { params: { name: 'git-summary' } });
    await ask(server, checks.fixFindings, 'root_unavailable', { params: scout, body });
  }));
