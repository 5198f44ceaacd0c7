import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { connectChanges } from './changes.ts';

/** Connects undo and redo to the page. Loaded late, because the first view has nothing to undo. */
export const ChangesHost = ({ onShow }: { readonly onShow: () => void }) => {
  const client = useQueryClient();
  useEffect(() => connectChanges({ client, onShow }), [client, onShow]);
  return null;
};
