import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { endOfPath, PathText } from '../../src/renderer/src/ui/path-text.tsx';

it.each([
  ['../../../shared/skills/threat-model', '../|../|../|shared/|skills/|threat-model'],
  ['/srv/agents/', '/|srv/|agents/'],
  ['C:\\Users\\me', 'C:\\|Users\\|me'],
  ['\\\\host\\share', '\\\\|host\\|share'],
  ['http://127.0.0.1:4100', 'http://|127.0.0.1:4100'],
  ['plain', 'plain'],
  ['', ''],
])('%s may wrap after its separators, and its text stays the same', (path, breaks) => {
  const markup = renderToStaticMarkup(createElement(PathText, { path }));
  expect(markup.replaceAll('<wbr/>', '|')).toBe(`<span class="wrap-anywhere">${breaks}</span>`);
  expect(markup.replaceAll(/<[^>]*>/g, '')).toBe(path);
});

describe('the end of a path', () => {
  it.each([
    ['/srv/agents', 24, '/srv/agents'],
    ['/home/somebody/work/data/dot-mi-root', 24, '…/work/data/dot-mi-root'],
    ['C:\\Users\\somebody\\dot-mi-root', 24, '…\\somebody\\dot-mi-root'],
    ['/srv/a-name-that-is-longer-than-the-rail-is-wide', 24, '…/a-name-that-is-longer-than-the-rail-is-wide'],
    ['/home/somebody/roots/', 12, '…/roots/'],
  ])('%s in %d characters is %s', (path, most, end) => {
    expect(endOfPath(path, most)).toBe(end);
  });
});
