// Files and folders that are dragged to another folder.
import { useState, type DragEvent } from 'react';
import { useSend } from '../../api/query.ts';
import { nameAt } from './entries.ts';

/** Of a path of ours; other pages drag links and files. */
const KIND = 'application/x-svc-path';

export function dragOf(path: string): { draggable: true; onDragStart: (event: DragEvent) => void } {
  return {
    draggable: true,
    onDragStart: ({ dataTransfer }) => {
      dataTransfer.setData(KIND, path);
      dataTransfer.effectAllowed = 'move';
    },
  };
}

/** Moves what is dropped; what is there already is not replaced. */
function useMoveTo(): (from: string, folder: string) => void {
  const file = useSend('files', 'move', { done: ({ path }) => `Moved to ${path}.` });
  const folders = useSend('files', 'moveFolder', { refresh: ['files'], done: ({ to }) => `Moved to ${to}.` });
  return (from, folder) => {
    const to = `${folder}${nameAt(from)}`;
    if (to === from || folder.startsWith(from)) return;
    if (from.endsWith('/')) folders.mutate({ body: { from, to } });
    else file.mutate({ body: { from, to } });
  };
}

/** What a folder is given, so that it takes what is dropped on it. @param folder '' is the top */
export function useDropOn(folder: string) {
  const [isOver, setOver] = useState(false);
  const move = useMoveTo();
  const isOurs = (event: DragEvent): boolean => event.dataTransfer.types.includes(KIND);
  return {
    'data-over': isOver || undefined,
    onDragOver: (event: DragEvent) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      if (!isOurs(event)) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(false);
      move(event.dataTransfer.getData(KIND), folder);
    },
  };
}
