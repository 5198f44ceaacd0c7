import { markdownLanguage } from '@codemirror/lang-markdown';
import { createContext, Fragment, type ReactNode, useContext } from 'react';

type Node = ReturnType<typeof markdownLanguage.parser.parse>['topNode'];

const FRONTMATTER = /^\uFEFF?---[^\n]*\n[\s\S]*?\n---[^\n]*(\n|$)/;

/** Returns the text without its frontmatter. */
export const bodyOf = (text: string): string => text.replace(FRONTMATTER, '');

/** Markdown syntax, which isn't shown. */
const SIGNS = new Set([
  'HeaderMark',
  'QuoteMark',
  'ListMark',
  'EmphasisMark',
  'StrikethroughMark',
  'CodeMark',
  'LinkMark',
  'LinkTitle',
  'TableDelimiter',
]);

/** Blocks with text only in their children. Line breaks between the children are ignored. */
const CONTAINERS = new Set(['Document', 'BulletList', 'OrderedList', 'ListItem', 'Blockquote', 'Table']);

/** Returns a link's address if it's a web page, or undefined. */
const webAddress = (text: string): string | undefined => {
  const url = URL.parse(text.replace(/^<|>$/g, ''));
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : undefined;
};

/** Returns a node's parts in order up to `end`, and the text between them. */
const partsOf = (node: Node, source: string, end = node.to): ReactNode[] => {
  const parts: ReactNode[] = [];
  const keepsText = !CONTAINERS.has(node.name);
  let at = node.from;
  const addText = (to: number): void => {
    if (keepsText && to > at) parts.push(source.slice(at, to));
  };
  for (let child = node.firstChild; child && child.from < end; child = child.nextSibling) {
    addText(child.from);
    parts.push(<Fragment key={child.from}>{shown(child, source)}</Fragment>);
    at = child.to;
  }
  addText(end);
  return parts;
};

const codeOf = (node: Node, source: string): string =>
  node
    .getChildren('CodeText')
    .map(({ from, to }) => source.slice(from, to))
    .join('');

/** Deeper lists and quotes are shown as plain text. A browser couldn't fit thousands of levels anyway. */
const MAX_DEPTH = 60;
let depth = 0;

/** Renders a node as elements, up to {@link MAX_DEPTH} deep. */
const shown = (node: Node, source: string): ReactNode => {
  if (depth >= MAX_DEPTH) return source.slice(node.from, node.to);
  depth += 1;
  try {
    return elementOf(node, source);
  } finally {
    depth -= 1;
  }
};

/** Renders a node as elements. HTML is shown as text and never becomes an element. */
const elementOf = (node: Node, source: string): ReactNode => {
  const { name } = node;
  const text = (): string => source.slice(node.from, node.to);
  if (SIGNS.has(name)) return null;
  if (/^(ATX|Setext)Heading/.test(name)) {
    // Use the same heading level for all, because the text is part of a page with its own headings.
    return (
      <h4 className={name.endsWith('1') ? 'text-lg font-semibold' : 'font-semibold'}>
        {partsOf(node, source)}
      </h4>
    );
  }
  switch (name) {
    case 'Paragraph':
      return <p>{partsOf(node, source)}</p>;
    case 'BulletList':
      return <ul className="list-disc space-y-1 pl-5">{partsOf(node, source)}</ul>;
    case 'OrderedList':
      return <ol className="list-decimal space-y-1 pl-5">{partsOf(node, source)}</ol>;
    case 'ListItem':
      return <li className="space-y-1">{partsOf(node, source)}</li>;
    case 'Blockquote':
      return (
        <blockquote className="space-y-2 border-l-2 border-line pl-3 text-muted">
          {partsOf(node, source)}
        </blockquote>
      );
    case 'FencedCode':
    case 'CodeBlock':
      return (
        <pre className="rounded-md bg-sunken px-3 py-2 font-mono text-sm break-words whitespace-pre-wrap">
          {codeOf(node, source)}
        </pre>
      );
    case 'InlineCode':
      return (
        <code className="rounded bg-sunken px-1 font-mono text-[0.92em] wrap-anywhere">
          {partsOf(node, source)}
        </code>
      );
    case 'Emphasis':
      return <em>{partsOf(node, source)}</em>;
    case 'StrongEmphasis':
      return <strong className="font-semibold">{partsOf(node, source)}</strong>;
    case 'Strikethrough':
      return <s>{partsOf(node, source)}</s>;
    case 'HorizontalRule':
      return <hr className="border-line" />;
    case 'HardBreak':
      return <br />;
    case 'Escape':
      return text().slice(1);
    case 'Link':
    case 'Image':
      return linked(node, source);
    case 'Autolink':
      return linkTo(webAddress(text()), text().replace(/^<|>$/g, ''));
    case 'URL':
      return node.parent?.name === 'Link' || node.parent?.name === 'Image'
        ? null
        : linkTo(webAddress(text()), text());
    case 'Table':
      return (
        <table className="border-collapse text-sm">
          <tbody>{partsOf(node, source)}</tbody>
        </table>
      );
    case 'TableHeader':
    case 'TableRow':
      return (
        <tr className={name === 'TableHeader' ? 'font-medium' : undefined}>
          {node.getChildren('TableCell').map((cell) => (
            <td key={cell.from} className="border border-line px-2 py-1 align-top">
              {partsOf(cell, source)}
            </td>
          ))}
        </tr>
      );
    default:
      return node.firstChild ? partsOf(node, source) : text();
  }
};

/** Renders a link's or image's text, with the address only if it's a web page. Images aren't loaded. */
const linked = (node: Node, source: string): ReactNode => {
  const url = node.getChild('URL');
  const address = node.name === 'Link' && url ? webAddress(source.slice(url.from, url.to)) : undefined;
  // The text ends at the second bracket. Its address and title follow.
  const end = node.getChildren('LinkMark')[1]?.from ?? node.to;
  return linkTo(address, partsOf(node, source, end));
};

const linkTo = (address: string | undefined, content: ReactNode): ReactNode =>
  address === undefined ? content : <WebLink address={address}>{content}</WebLink>;

const CanOpenLinks = createContext(true);

const WebLink = ({ address, children }: { readonly address: string; readonly children: ReactNode }) => {
  if (useContext(CanOpenLinks))
    return (
      <a
        href={address}
        data-details={address}
        target="_blank"
        rel="noreferrer"
        className="text-accent underline"
      >
        {children}
      </a>
    );
  return (
    <>
      {children} <span className="text-muted">({address})</span>
    </>
  );
};

/**
 * Markdown text as elements. SECURITY: anyone may have written the text. It never becomes HTML, loads nothing, and
 * links only to web pages. Without `links`, an address is only text.
 */
export const Markdown = ({ text, links = true }: { readonly text: string; readonly links?: boolean }) => (
  <CanOpenLinks value={links}>
    <div className="space-y-2.5 break-words">{shown(markdownLanguage.parser.parse(text).topNode, text)}</div>
  </CanOpenLinks>
);
