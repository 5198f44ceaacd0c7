import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { Diagnostic } from '../../../shared/api/catalog.ts';
import { catalog as catalogTexts } from '../strings/catalog.ts';
import { cx } from './cx.ts';

/** The problems in a person's file, one line each with its rule, errors first. */
export const Diagnostics = ({ items }: { readonly items: readonly Diagnostic[] }) =>
  items.length > 0 && (
    <ul className="flex flex-col gap-1 text-sm">
      {items
        .toSorted((a, b) => a.severity.localeCompare(b.severity))
        .map((item) => {
          const isError = item.severity === 'error';
          const Icon = isError ? CircleAlert : TriangleAlert;
          return (
            <li key={`${item.rule} ${item.message}`} className="flex items-start gap-1.5">
              <Icon
                role="img"
                aria-label={catalogTexts.severity[item.severity]}
                className={cx('mt-0.75 size-3 shrink-0', isError ? 'text-danger' : 'text-warn')}
              />
              <span className="min-w-0 break-words">
                {item.message} <code className="text-xs text-muted">{item.rule}</code>
              </span>
            </li>
          );
        })}
    </ul>
  );
