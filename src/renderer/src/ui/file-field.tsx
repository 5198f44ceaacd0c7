import { type DragEvent, type HTMLAttributes, useRef, useState } from 'react';
import { Button } from './button.tsx';

interface FileDrop {
  readonly isOver: boolean;
  readonly handlers: Pick<HTMLAttributes<HTMLElement>, 'onDragOver' | 'onDragLeave' | 'onDrop'>;
}

/** Lets an element take a dropped file. */
export const useFileDrop = (onFile: (file: File) => void): FileDrop => {
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
        onFile(file);
      },
    },
  };
};

interface ChooseFileProps {
  readonly label: string;
  readonly accept?: string;
  readonly size?: 'small';
  readonly onFile: (file: File) => void;
}

/** A button to select a file instead of dropping it. */
export const ChooseFile = ({ label, accept, size, onFile }: ChooseFileProps) => {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button {...(size ? { size } : {})} onClick={() => picker.current?.click()}>
        {label}
      </Button>
      <input
        ref={picker}
        type="file"
        hidden
        accept={accept}
        aria-label={label}
        onChange={(event) => {
          const file = event.target.files?.[0];
          // Reset the field, so that selecting the same file again counts as a change.
          event.target.value = '';
          if (file) onFile(file);
        }}
      />
    </>
  );
};
