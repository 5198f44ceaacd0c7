import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { agentListQuery } from '../api/queries.ts';
import { type Page, parsePath, paths } from '../routes.ts';

const STORAGE_KEY = 'dot-mi.last-agent';

/** Whether the page was opened at its front door, as a bookmark or the desktop window does. */
const cameToFront = window.location.pathname === paths.agents;

/** Remembers which agent and file was looked at, and opens it again when the page is opened without saying what. */
export const useLastAgent = (page: Page): void => {
  const [path, navigate] = useLocation();
  const isDone = useRef(!cameToFront);
  const kept = isDone.current ? null : localStorage.getItem(STORAGE_KEY);
  const { data: agents } = useQuery({ ...agentListQuery(), enabled: kept !== null });

  useEffect(() => {
    if (page.name === 'agent') localStorage.setItem(STORAGE_KEY, path);
    // Whoever goes somewhere first has said what they want.
    if (page.name !== 'agents') isDone.current = true;
  }, [page.name, path]);

  useEffect(() => {
    if (isDone.current || kept === null || !agents) return;
    isDone.current = true;
    const last = parsePath(kept);
    if (last.name === 'agent' && agents.some(({ id }) => id === last.id)) navigate(kept, { replace: true });
  }, [agents, kept, navigate]);
};
