/**
 * Removes the service workers that another program left at this origin, and loads the page again if there were any.
 *
 * SECURITY: development servers use the same ports, and their workers outlive them. A worker sees every request of the
 * page, with its token. We have none ourselves. A worker that controls no page now could take this one over later.
 */
export const clearServiceWorkers = async (
  workers: ServiceWorkerContainer | undefined,
  reload: () => void,
): Promise<void> => {
  if (!workers) return;
  const registrations = await workers.getRegistrations();
  if (registrations.length === 0 && !workers.controller) return;
  await Promise.all(registrations.map((registration) => registration.unregister()));
  reload();
  // Nothing may be sent before the page is gone.
  await new Promise<never>(() => {});
};
