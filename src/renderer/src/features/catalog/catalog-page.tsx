import { Tabs } from '@base-ui/react/tabs';
import { type ReactNode, useState } from 'react';
import { LINK_KINDS, type LinkKind } from '../../../../shared/api/names.ts';
import { strings } from '../../strings.ts';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { CatalogList } from './catalog-list.tsx';
import { CatalogRow } from './catalog-rows.tsx';
import { useCatalog } from './use-catalog.ts';

const words = strings.catalog;

/** The shared skills and extensions of the root, with their problems. */
export const CatalogPage = () => {
  const { skills, extensions } = useCatalog();
  const [kind, setKind] = useState<LinkKind>('skills');
  const [query, setQuery] = useState('');
  const panels: Readonly<Record<LinkKind, ReactNode>> = {
    skills: (
      <CatalogList
        kind="skills"
        state={skills}
        query={query}
        row={(item, usedBy) => <CatalogRow item={item} usedBy={usedBy} />}
      />
    ),
    extensions: (
      <CatalogList
        kind="extensions"
        state={extensions}
        query={query}
        row={(item, usedBy) => <CatalogRow item={item} usedBy={usedBy} />}
      />
    ),
  };
  return (
    <Tabs.Root value={kind} onValueChange={(next) => setKind(next)} className="h-full min-h-0">
      <Page
        title={words.heading}
        description={words.description}
        toolbar={
          <div className="flex flex-wrap items-center gap-3">
            <Tabs.List activateOnFocus aria-label={words.kinds} className="flex rounded-lg bg-hover p-0.5">
              {LINK_KINDS.toReversed().map((name) => (
                <Tabs.Tab
                  key={name}
                  value={name}
                  className="rounded-md px-2.5 py-0.75 text-muted hover:text-ink data-active:bg-canvas data-active:text-ink data-active:shadow-sm"
                >
                  {words[name]}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            <div className="w-56">
              <SearchField label={words.search[kind]} value={query} onValueChange={setQuery} />
            </div>
          </div>
        }
      >
        {LINK_KINDS.map((name) => (
          <Tabs.Panel key={name} value={name} tabIndex={-1} className="h-full outline-none">
            {panels[name]}
          </Tabs.Panel>
        ))}
      </Page>
    </Tabs.Root>
  );
};
