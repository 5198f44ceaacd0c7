import { type DragEvent, useState } from 'react';
import type { LinkEntry } from '../../../../shared/api/links.ts';

/** The dragged item: a shared entry to link, or one of the agent's links to remove. */
type Dragged =
  | { readonly from: 'catalog'; readonly name: string }
  | { readonly from: 'agent'; readonly entry: LinkEntry };

/** The props that make an element draggable. */
export interface DragSource {
  readonly draggable: true;
  readonly onDragStart: (event: DragEvent) => void;
  readonly onDragEnd: () => void;
}

/** The props that make an element a drop target for the other side's items. */
interface DropTarget {
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragLeave: (event: DragEvent) => void;
  readonly onDrop: (event: DragEvent) => void;
}

/** The state and props for dragging between the two lists. Buttons offer the same actions. */
export interface LinkDrag {
  readonly source: (dragged: Dragged) => DragSource;
  readonly target: (side: Dragged['from']) => DropTarget;
  /** The side that accepts the dragged item. `isOver` means the item is over that side. */
  readonly dropOn: Dragged['from'] | null;
  readonly isOver: boolean;
}

/** Drags shared entries into the agent and its links out of it. `onDrop` gets each dropped item. */
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
        // Firefox starts a drag only if it carries data.
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
