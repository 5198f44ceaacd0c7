import { historyWords as words } from '../strings/history.ts';
import { Section } from '../ui/section.tsx';
import { ChangeList } from './change-list.tsx';

/** An agent's versions, with what its sessions cost since each of them. */
export const HistorySection = ({ id }: { readonly id: string }) => (
  <div className="max-w-4xl">
    <Section heading={words.history}>
      <ChangeList agent={id} isShown />
    </Section>
  </div>
);
