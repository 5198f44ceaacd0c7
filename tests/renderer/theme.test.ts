import { expect, it } from 'vitest';
import { applyTheme, chosenTheme } from '../../src/renderer/src/shell/appearance.ts';

const kept = (text: string | null) => ({ get: () => text });

it('is the system’s until one is chosen, and when the stored value isn’t a theme', () => {
  expect(chosenTheme(kept(null))).toBe('system');
  expect(chosenTheme(kept('dark'))).toBe('dark');
  expect(chosenTheme(kept('purple'))).toBe('system');
});

it('is set on the page, and removed from it for the system’s', () => {
  const page = { dataset: {} as Record<string, string> } as unknown as HTMLElement;
  applyTheme('dark', page);
  expect(page.dataset.theme).toBe('dark');
  applyTheme('system', page);
  expect(page.dataset).toEqual({});
});
