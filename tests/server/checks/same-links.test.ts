import { expect, test } from 'vitest';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';

const OURS = '../../../shared/skills/git-summary';

test('the checks read an agent as the lists and the prompt do: its files, links and linked folders', async () => {
  const root = await makeRoot({
    // Below another directory, the text of our links leads elsewhere.
    'agents/nested/skills/team/deep': { link: OURS },
    'agents/broken/models.json': { link: 'nowhere' },
    'agents/broken/settings.json': '{"defaultProvider":"local","defaultModel":"small"}',
    'agents/borrows/prompts': { link: '../nested/sessions' },
    'agents/nested/sessions/client-acme.md': '---\ndescription: [\n---\n',
  });
  const { asOperator } = await serve(root);
  const checksOf = async (id: string) => {
    const { body } = await asOperator('GET', `/api/agents/${id}/checks`);
    return {
      rules: body.findings.map(({ rule, file }: { rule: string; file: string }) => `${file} ${rule}`),
      truncated: body.truncated,
    };
  };
  expect((await checksOf('nested')).rules).toContain('skills/team/deep link-broken');
  expect((await checksOf('broken')).rules).toContain('settings.json model-unknown');
  const borrows = await checksOf('borrows');
  expect([borrows.truncated, JSON.stringify(borrows.rules).includes('client-acme')]).toEqual([true, false]);
});
