/** A text of the OpenAPI document: what is in backticks is code. */
export const Prose = ({ text }: { readonly text: string }) =>
  text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
      <code key={index} className="font-mono text-[0.95em] break-words">
        {part}
      </code>
    ),
  );
