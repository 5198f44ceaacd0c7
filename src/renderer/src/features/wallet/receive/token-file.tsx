import { type DragEvent, type HTMLAttributes, useRef, useState } from 'react';
import { DEFAULT_BODY_LIMIT_BYTES } from '../../../../../shared/api/endpoint.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Button } from '../../../ui/button.tsx';
import { reportFailure } from '../../../ui/failures.tsx';

/** Reads a file that contains a token, or reports why it can't. */
const readToken = async (file: File, onText: (text: string) => void): Promise<void> => {
  if (file.size > DEFAULT_BODY_LIMIT_BYTES) return reportFailure(words.receive.fileTooLarge);
  try {
    onText(new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()));
  } catch (error) {
    reportFailure(error instanceof TypeError ? words.receive.fileNotText : words.receive.fileUnreadable);
  }
};

interface TokenDrop {
  readonly isOver: boolean;
  readonly handlers: Pick<HTMLAttributes<HTMLElement>, 'onDragOver' | 'onDragLeave' | 'onDrop'>;
}

/** Reads a token file that is dropped on an element. */
export const useTokenDrop = (onText: (text: string) => void): TokenDrop => {
  const [isOver, setIsOver] = useState(false);
  return {
    isOver,
    handlers: {
      onDragOver: (event: DragEvent) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setIsOver(true);
      },
      onDragLeave: (event: DragEvent<HTMLElement>) => {
        // Ignore moves from one part of the drop target to another.
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setIsOver(false);
      },
      onDrop: (event: DragEvent) => {
        setIsOver(false);
        const file = event.dataTransfer.files[0];
        if (!file) return;
        event.preventDefault();
        void readToken(file, onText);
      },
    },
  };
};

/** A button to select a token file instead of dropping it. */
export const ChooseTokenFile = ({ onText }: { readonly onText: (text: string) => void }) => {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => picker.current?.click()}>{words.receive.chooseFile}</Button>
      <input
        ref={picker}
        type="file"
        hidden
        aria-label={words.receive.chooseFile}
        onChange={(event) => {
          const file = event.target.files?.[0];
          // Reset the field, so that selecting the same file again counts as a change.
          event.target.value = '';
          if (file) void readToken(file, onText);
        }}
      />
    </>
  );
};
