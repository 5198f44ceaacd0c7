import { type BrowserWindow, type ContextMenuParams, Menu, type MenuItemConstructorOptions } from 'electron';
import { webOriginOf } from './web-origin.ts';

type Item = MenuItemConstructorOptions;

/** What a right-click offers at a place of the page: roles alone, which run no code of ours. Empty where there is nothing to do. */
const itemsFor = ({ isEditable, selectionText, editFlags }: ContextMenuParams): Item[] => {
  if (!isEditable) return selectionText.trim() === '' ? [] : [{ role: 'copy', enabled: editFlags.canCopy }];
  return [
    { role: 'cut', enabled: editFlags.canCut },
    { role: 'copy', enabled: editFlags.canCopy },
    { role: 'paste', enabled: editFlags.canPaste },
    { type: 'separator' },
    { role: 'selectAll', enabled: editFlags.canSelectAll },
  ];
};

/** Gives the text fields of a window, and text that is selected, the menu of a right-click; Electron has none by itself. */
export const offerContextMenu = (window: BrowserWindow, origin: () => string): void => {
  window.webContents.on('context-menu', (_event, params) => {
    // SECURITY: a frame of another page gets no way to the clipboard.
    if (webOriginOf(params.frameURL || params.pageURL) !== origin()) return;
    const items = itemsFor(params);
    // By the keyboard too it opens where the text is, not where the mouse was left.
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window, x: params.x, y: params.y });
  });
};
