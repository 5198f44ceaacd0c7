import { readFile } from 'node:fs/promises';
import { violationsInBothThemes } from './axe.ts';
import { expect, test } from './fixtures.ts';
import { pressOn, tabTo } from './keyboard.ts';

test('by keys, every route can be opened, a read is sent at once, a write asks first, and an operator route says so', async ({
  page,
  served,
}) => {
  await page.goto(served.pageAt('/connect'));
  const search = page.getByRole('combobox', { name: 'Search routes' });
  await tabTo(page, search);

  // Down through the whole list: each route of the document is reached once, and is in sight then.
  const { paths } = await (await fetch(`${served.url}/api/openapi.json`)).json();
  const documented = Object.entries<object>(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const active = () =>
    search.evaluate((field) => {
      const option = document.getElementById(field.getAttribute('aria-activedescendant') ?? '');
      const box = option?.getBoundingClientRect();
      const list = document.querySelector('#api-routes')?.getBoundingClientRect();
      const isInSight = box && list && box.top >= list.top - 1 && box.bottom <= list.bottom + 1;
      const [method, path] = [...(option?.querySelectorAll('.font-mono') ?? [])].map(
        (part) => part.textContent,
      );
      return { name: `${method} ${path === '/api' ? path : `/api${path}`}`, isInSight };
    });
  const reached: string[] = [];
  for (const _ of documented) {
    const { name, isInSight } = await active();
    expect(isInSight, name).toBe(true);
    reached.push(name);
    await page.keyboard.press('ArrowDown');
  }
  expect(reached.sort()).toEqual(documented.sort());

  // A read.
  await page.keyboard.type('list the agents');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'GET /api/agents' })).toBeVisible();
  await pressOn(page, page.getByRole('button', { name: 'Send', exact: true }), 'by keys');
  const answer = page.getByRole('region', { name: 'Response', exact: true });
  await expect(answer).toContainText('200 OK');
  await expect(answer.getByRole('region', { name: 'Response body' })).toContainText('"id": "scout"');
  await pressOn(page, answer.getByText(/^\d+ headers$/), 'by keys');
  await expect(answer).toContainText('application/json; charset=utf-8');
  expect(await violationsInBothThemes(page, 'main')).toEqual([]);

  // A write that lacks a field, one that is cancelled, and one that is sent.
  const open = async (text: string) => {
    await tabTo(page, search, 'Shift+Tab');
    await page.keyboard.press('Escape');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
  };
  await open("write an agent's file");
  const id = page.getByRole('textbox', { name: 'id', exact: true });
  await expect(id).toHaveValue('scout');
  await id.fill('');
  const send = page.getByRole('button', { name: 'Send…' });
  await pressOn(page, send, 'by keys');
  await expect(page.getByText('Enter a value.')).toBeVisible();
  await id.fill('scout');
  await page
    .getByRole('textbox', { name: 'Body (JSON)' })
    .fill('{"path": "SYSTEM.md", "content": "It\'s new."}');
  await expect(page.getByText(`-d '{"path":"SYSTEM.md","content":"It'\\''s new."}'`)).toBeVisible();
  const content = () => readFile(served.agent('scout/SYSTEM.md'), 'utf8');
  const before = await content();
  const question = page.getByRole('alertdialog', { name: 'Send PUT /api/agents/scout/file?' });
  await pressOn(page, send, 'by keys');
  await expect(question).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  expect(await content()).toBe(before);
  await expect(answer).toBeHidden();
  await pressOn(page, send, 'by keys');
  await pressOn(page, question.getByRole('button', { name: 'Send PUT' }), 'by keys');
  await expect(answer).toContainText('200 OK');
  expect(await content()).toBe("It's new.");

  // Of the operator, whose token the page sends and no command contains. Its secret is not shown at once.
  await open('GET /api/settings');
  await expect(page.getByRole('option', { selected: true })).toContainText('operator');
  await expect(page.getByText('Operator only')).toBeVisible();
  await pressOn(page, page.getByRole('button', { name: 'Send', exact: true }), 'by keys');
  await expect(answer).toContainText('200 OK');
  await expect(page.getByText('$(cat data/wallet/operator-token)')).toBeVisible();
  const token = await page.evaluate(() => sessionStorage.getItem('dot-mi.token'));
  expect(token).not.toBeNull();
  expect(await page.content()).not.toContain(token);
  await open('GET /api/wallet/seed backup');
  await pressOn(page, page.getByRole('button', { name: 'Send…' }), 'by keys');
  await expect(page.getByRole('alertdialog')).toContainText('The response contains a secret');
});
