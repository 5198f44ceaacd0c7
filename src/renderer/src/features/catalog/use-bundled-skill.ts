import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'wouter';
import type { SharedSkill } from '../../../../shared/api/catalog.ts';
import { BUNDLED_SKILL, installSkill, uninstallSkill } from '../../../../shared/api/catalog-install.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { paths } from '../../routes.ts';
import { catalog as words } from '../../strings/catalog.ts';
import { strings } from '../../strings.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { CATALOG_LIST_ID } from './catalog-list.tsx';
import type { CatalogStatus } from './use-catalog.ts';

/** Offers the skill that ships with dot-mi to a root that has no skill of its name. */
interface BundledSkillOffer {
  /** Whether the root lacks it. */
  readonly isMissing: boolean;
  readonly isAdding: boolean;
  readonly add: () => void;
}

/** Adds the skill that ships with dot-mi, with undo, and then opens it. */
export const useBundledSkill = (skills: CatalogStatus<SharedSkill>): BundledSkillOffer => {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const onSettled = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: keys.catalog('skills') }),
      client.invalidateQueries({ queryKey: keys.checks }),
      client.invalidateQueries({ queryKey: keys.allMatrices }),
      client.invalidateQueries({ queryKey: keys.linkCounts }),
      client.invalidateQueries({ queryKey: keys.allLinks }),
    ]);
  const removing = useMutation({
    mutationFn: () => call(uninstallSkill, {}),
    onSuccess: () => navigate(paths.catalogEntry('skills', null)),
    onError: (error) => notifyFailure(words.removeSkillFailed, error),
    onSettled,
  });
  const adding = useMutation({
    mutationFn: () => call(installSkill, {}),
    onSuccess: ({ created }) => {
      navigate(paths.catalogEntry('skills', BUNDLED_SKILL));
      if (created) notify(words.skillAdded, { label: strings.common.undo, run: removing.mutate });
    },
    onError: (error) => notifyFailure(words.addSkillFailed, error),
    onSettled,
  });
  const isMissing = skills.status === 'ready' && !skills.items.some(({ name }) => name === BUNDLED_SKILL);
  const isAdded = adding.isSuccess && !isMissing;
  // The button that had the focus is gone.
  useEffect(() => {
    if (isAdded) document.getElementById(CATALOG_LIST_ID)?.focus();
  }, [isAdded]);
  return { isMissing, isAdding: adding.isPending, add: adding.mutate };
};
