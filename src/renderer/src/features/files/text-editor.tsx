import { useLayoutEffect, useRef, useState } from 'react';

interface TextEditorProps {
  readonly label: string;
  readonly text: string;
  /** Absent for text that is only shown. */
  readonly onTextChange?: (text: string) => void;
  readonly ref?: React.Ref<HTMLTextAreaElement>;
}

/**
 * The editor of a file's text, with LF line ends. Tab moves the focus on, as everywhere on the page. All that the
 * page knows of an editor is in these props, so that another one can take its place.
 */
export const TextEditor = ({ label, text, onTextChange, ref }: TextEditorProps) => {
  const own = useRef<HTMLTextAreaElement>(null);
  // The textarea owns its text: React writing it back on each key would cost the undo history.
  const [initialText] = useState(text);
  const selection = useRef({ start: 0, end: 0 });

  // When the text changes from outside (another program saved the file), the browser would put the caret at the end.
  useLayoutEffect(() => {
    const area = own.current;
    if (!area || area.value === text) return;
    const { scrollTop } = area;
    area.value = text;
    area.setSelectionRange(selection.current.start, selection.current.end);
    area.scrollTop = scrollTop;
  }, [text]);

  return (
    <textarea
      ref={(area) => {
        own.current = area;
        if (typeof ref === 'function') return ref(area);
        if (ref) ref.current = area;
      }}
      aria-label={label}
      defaultValue={initialText}
      readOnly={!onTextChange}
      onChange={(event) => onTextChange?.(event.target.value)}
      onSelect={({ currentTarget: area }) => {
        selection.current = { start: area.selectionStart, end: area.selectionEnd };
      }}
      spellCheck={false}
      autoCapitalize="off"
      autoComplete="off"
      className="size-full resize-none bg-canvas px-4 py-3 font-mono leading-[1.6] [tab-size:4] outline-none read-only:bg-sunken focus-visible:shadow-[inset_2px_0_var(--accent)]"
    />
  );
};
