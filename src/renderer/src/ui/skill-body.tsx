// Loads on demand, with the parser of Markdown that the editor uses too.
import { catalog as catalogWords } from '../strings/catalog.ts';
import { bodyOf, Markdown } from './markdown.tsx';

/** The most characters that are shown. Skills have a few thousand. */
const MAX_SHOWN = 100_000;

/** The instructions of a SKILL.md, without its frontmatter. */
export const SkillBody = ({ text }: { readonly text: string }) => {
  const body = bodyOf(text).trim();
  if (body === '') return <p className="text-muted">{catalogWords.noInstructions}</p>;
  return (
    <>
      <Markdown text={body.slice(0, MAX_SHOWN)} />
      {body.length > MAX_SHOWN && <p className="mt-3 text-sm text-muted">{catalogWords.isCut}</p>}
    </>
  );
};
