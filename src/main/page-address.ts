import { app } from 'electron';

/** Where the window finds the page: at our own server, or at Vite's in development. */
export const pageAddress = (serverUrl: string, devPageUrl: string | undefined): string =>
  // SECURITY: the page gets the operator token, so no variable may lead the window of an installed program elsewhere.
  app.isPackaged ? serverUrl : (devPageUrl ?? serverUrl);
