import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { PathText } from '../../src/renderer/src/ui/path-text.tsx';

it.each([
  ['../../../shared/skills/threat-model', '../|../|../|shared/|skills/|threat-model'],
  ['/srv/agents/', '/|srv/|agents/'],
  ['C:\\Users\\me', 'C:\\|Users\\|me'],
  ['\\\\host\\share', '\\\\|host\\|share'],
  ['http://127.0.0.1:4100', 'http://|127.0.0.1:4100'],
  ['plain', 'plain'],
  ['', ''],
])('%s may break after its separators, and is the same text', (path, breaks) => {
  const markup = renderToStaticMarkup(createElement(PathText, { path }));
  expect(markup.replaceAll('<wbr/>', '|')).toBe(`<span class="wrap-anywhere">${breaks}</span>`);
  expect(markup.replaceAll(/<[^>]*>/g, '')).toBe(path);
});
