import { type AgentChecks, fixFindings } from '../../../../shared/api/checks.ts';
import { callForChange } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { useChange } from '../../changes/changes.ts';
import type { Fixable } from '../../fixes/fix-plan.ts';
import { checks as words } from '../../strings/checks.ts';

/** Fixes an agent's findings and offers Undo. `etags` are from the check that found them. */
export const useFixes = (id: string, etags: AgentChecks['etags']) =>
  useChange({
    make: (findings: readonly Fixable[]) => {
      const places = findings.map(({ rule, file, line, column }) => ({ rule, file, line, column }));
      return callForChange(fixFindings, { params: { id }, headers: {}, body: { findings: places, etags } });
    },
    said: ({ files, notFixed }) => {
      const fixed = files.reduce((sum, file) => sum + file.fixed, 0);
      const said = [fixed > 0 && words.fixed(fixed), notFixed.length > 0 && words.notFixed(notFixed.length)];
      return said.filter(Boolean).join('. ');
    },
    failed: () => words.fixFailed,
    refresh: after.agents(id),
  });
