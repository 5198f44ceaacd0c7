import { type DragEvent, useState } from 'react';
import type { LinkEntry } from '../../../../shared/api/links.ts';

/** What is dragged: a shared entry towards the agent, or one of its links back to the catalog. */
export type Dragged =
  | { readonly from: 'catalog'; readonly name: string }
  | { readonly from: 'agent'; readonly entry: LinkEntry };

/** Makes an element one that can be dragged. */
export interface DragSource {
  readonly draggable: true;
  readonly onDragStart: (event: DragEvent) => void;
  readonly onDragEnd: () => void;
}

/** Makes an element one that takes what is dragged from the other side. */
export interface DropTarget {
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragLeave: (event: DragEvent) => void;
  readonly onDrop: (event: DragEvent) => void;
}

/** Dragging between the two lists; the buttons do the same for those who use none. */
export interface LinkDrag {
  readonly source: (dragged: Dragged) => DragSource;
  readonly target: (side: Dragged['from']) => DropTarget;
  /** The side that what is dragged can be dropped on, and whether it is over it. */
  readonly dropOn: Dragged['from'] | null;
  readonly isOver: boolean;
}

/** Drags shared entries into the agent and its links out of it. `onDrop` is told what was dropped on the other side. */
export const useLinkDrag = (onDrop: (dragged: Dragged) => void): LinkDrag => {
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const [isOver, setOver] = useState(false);
  const dropOn = dragged && (dragged.from === 'agent' ? 'catalog' : 'agent');
  const end = (): void => {
    setDragged(null);
    setOver(false);
  };
  return {
    dropOn,
    isOver,
    source: (what) => ({
      draggable: true,
      onDragStart: (event) => {
        event.dataTransfer.effectAllowed = what.from === 'agent' ? 'move' : 'link';
        // Something has to be carried, or Firefox does not begin.
        event.dataTransfer.setData('text/plain', what.from === 'agent' ? what.entry.name : what.name);
        setDragged(what);
      },
      onDragEnd: end,
    }),
    target: (side) => ({
      onDragOver: (event) => {
        if (side !== dropOn) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = side === 'catalog' ? 'move' : 'link';
        setOver(true);
      },
      onDragLeave: ({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      },
      onDrop: (event) => {
        if (side !== dropOn || !dragged) return;
        event.preventDefault();
        end();
        onDrop(dragged);
      },
    }),
  };
};
