import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { bodyOf, Markdown } from '../../src/renderer/src/ui/markdown.tsx';

/** The elements without their classes. */
const show = (text: string): string =>
  renderToStaticMarkup(<Markdown text={text} />)
    .replaceAll(/ (class|data-details|target|rel)="[^"]*"/g, '')
    .replace(/^<div>|<\/div>$/g, '');

describe('a SKILL.md', () => {
  test('is shown with headings, lists, code, emphasis and tables', () => {
    expect(show('# Git *summary*\n\nRun `git log` and **read** it.\nThen\\* stop.\n')).toBe(
      '<h4> Git <em>summary</em></h4><p>Run <code>git log</code> and <strong>read</strong> it.\nThen* stop.</p>',
    );
    expect(show('1. one\n2. two\n   - in\n')).toBe(
      '<ol><li><p>one</p></li><li><p>two</p><ul><li><p>in</p></li></ul></li></ol>',
    );
    expect(show('```sh\ngit log\n  -1\n```\n')).toBe('<pre>git log\n  -1</pre>');
    expect(show('> quoted\n\n---\n')).toBe('<blockquote><p>quoted</p></blockquote><hr/>');
    expect(show('| a | b |\n|---|---|\n| 1 | `2` |\n')).toBe(
      '<table><tbody><tr><td>a</td><td>b</td></tr><tr><td>1</td><td><code>2</code></td></tr></tbody></table>',
    );
  });

  test('never becomes HTML, loads no image, and links only to pages of the web', () => {
    expect(show('<script>alert(1)</script>\n\na <b onclick="x">b</b>\n')).toBe(
      '&lt;script&gt;alert(1)&lt;/script&gt;<p>a &lt;b onclick=&quot;x&quot;&gt;b&lt;/b&gt;</p>',
    );
    expect(show('![alt](https://example.com/x.png)')).toBe('<p>alt</p>');
    expect(show('[bad](javascript:alert(1)) [file](file:///etc/passwd) [own](../other.md)')).toBe(
      '<p>bad file own</p>',
    );
    expect(show('[good](https://example.com/a "t") <https://example.com/b>')).toBe(
      '<p><a href="https://example.com/a">good</a> <a href="https://example.com/b">https://example.com/b</a></p>',
    );
  });

  test('is shown without its frontmatter', () => {
    expect(bodyOf('---\nname: a\n---\n\nBody.\n')).toBe('\nBody.\n');
    expect(bodyOf('---\r\nname: a\r\n---\r\nBody.')).toBe('Body.');
    expect(bodyOf('---\nname: a')).toBe('---\nname: a');
    expect(bodyOf('Body.\n---\nx\n---\n')).toBe('Body.\n---\nx\n---\n');
  });
});
