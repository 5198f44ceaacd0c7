import type { LinkKind } from '../../../../shared/api/names.ts';
import { strings } from '../../strings.ts';
import { ErrorState } from '../../ui/error-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { LinkedList } from './linked-list.tsx';
import { OfferList } from './offer-list.tsx';
import { useLinks } from './use-links.ts';

/** The extensions or skills of an agent, and beside them what it could link to. */
export const LinksSection = ({ id, kind }: { readonly id: string; readonly kind: LinkKind }) => {
  const state = useLinks(id, kind);
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  const words = strings.links;
  return (
    <div className="flex h-full min-h-0 max-icons:flex-col max-icons:overflow-y-auto">
      <section className="flex min-w-0 flex-col icons:min-h-0 icons:flex-1" aria-label={words.linked}>
        <h2 className="px-4 pt-3 pb-2 font-semibold">{words.linked}</h2>
        <div className="min-h-0 flex-1 icons:overflow-y-auto">
          <LinkedList kind={kind} entries={state.entries} catalog={state.catalog} actions={state.actions} />
        </div>
      </section>
      <section
        className="flex min-w-0 flex-col border-line icons:flex-1 max-icons:border-t icons:min-h-0 icons:border-l"
        aria-label={words.sharedHeading[kind]}
      >
        <h2 className="px-4 pt-3 pb-2 font-semibold">{words.sharedHeading[kind]}</h2>
        <OfferList
          kind={kind}
          offers={state.offers}
          catalogIsEmpty={state.catalog.size === 0}
          actions={state.actions}
        />
      </section>
    </div>
  );
};
