// Loaded on demand, with the Markdown parser that the editor also uses.
import { LINK_KIND_SHAPES, type LinkKind } from '../../../shared/api/names.ts';
import { catalog as catalogWords } from '../strings/catalog.ts';
import { bodyOf, Markdown } from './markdown.tsx';

/** How many characters are shown. Skills have a few thousand. */
const MAX_SHOWN = 100_000;

interface EntryBodyProps {
  readonly kind: LinkKind;
  readonly text: string;
}

/** Shows a file's Markdown without its frontmatter, or JSON verbatim. */
export const EntryBody = ({ kind, text }: EntryBodyProps) => {
  const isJson = LINK_KIND_SHAPES[kind].fileEnding === '.json';
  const body = (isJson ? text : bodyOf(text)).trim();
  if (body === '') return <p className="text-muted">{catalogWords.noInstructions}</p>;
  const shown = body.slice(0, MAX_SHOWN);
  return (
    <>
      {isJson ? (
        <pre className="text-sm break-words whitespace-pre-wrap">{shown}</pre>
      ) : (
        <Markdown text={shown} />
      )}
      {body.length > MAX_SHOWN && <p className="mt-3 text-sm text-muted">{catalogWords.isCut}</p>}
    </>
  );
};
