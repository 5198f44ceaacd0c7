import './zod-jitless.ts';
import './styles/index.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { desktopBridge } from './api/desktop.ts';
import { adoptDesktopToken, adoptToken } from './api/token.ts';
import { App } from './app.tsx';
import { startTheme } from './theme/theme.ts';

startTheme();
adoptToken({ location, history, storage: sessionStorage });
await adoptDesktopToken(desktopBridge(), sessionStorage);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
