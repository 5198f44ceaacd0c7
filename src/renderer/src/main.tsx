import './styles/index.css';

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { desktopBridge } from './api/desktop.ts';
import { adoptToken, keptKeyId, pageSession, startSession } from './api/page-session.ts';
import { App } from './app.tsx';
import { loadKept, startTheme } from './shell/appearance.ts';
import { ErrorBoundary } from './ui/error-boundary.tsx';

startSession();
startTheme();
const isBrought = adoptToken();
// Each of these may sign in automatically or reload the page, so don't show the sign-in page yet.
const isSettling = desktopBridge() || keptKeyId() !== null || navigator.serviceWorker?.controller;
if (!isBrought && isSettling) await pageSession.bearer().catch(() => null);

// The page doesn't wait for preferences, and updates when they arrive.
pageSession.subscribe(() => void loadKept());
void loadKept();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <ErrorBoundary>
      <App />
    </ErrorBoundary>
  </StrictMode>,
);
