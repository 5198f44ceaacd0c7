// The rows of both lists open the sheet in the same way.

/** The name of an entry, which opens its sheet. */
export const EntryName = ({ name, onOpen }: { readonly name: string; readonly onOpen: () => void }) => (
  <button
    type="button"
    data-row-action="open"
    data-shows-row
    aria-haspopup="dialog"
    onClick={(event) => {
      // The row around it opens it too.
      event.stopPropagation();
      onOpen();
    }}
    className="w-fit max-w-full min-w-0 rounded text-left font-medium break-words hover:underline"
  >
    {name}
  </button>
);
