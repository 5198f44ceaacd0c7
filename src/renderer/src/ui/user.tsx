import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { TEAM_PREFIX } from '../../../shared/api/catalog.ts';
import type { LinkKind } from '../../../shared/api/names.ts';
import { paths } from '../routes.ts';
import { cx } from './cx.ts';

interface UserProps {
  readonly id: string;
  /** The agent's links to open. If undefined, opens the agent itself. */
  readonly kind?: LinkKind | undefined;
  readonly className: string;
  readonly children: ReactNode;
}

/** An agent that uses an entry, as a link to it. A team has no view, so only its name is shown. */
export const User = ({ id, kind, className, children }: UserProps) =>
  id.startsWith(TEAM_PREFIX) ? (
    <span className={cx(className, 'whitespace-normal wrap-anywhere *:whitespace-normal')}>{children}</span>
  ) : (
    <Link
      href={paths.agent(id, kind && { kind })}
      data-details=""
      className={cx('hover:bg-hover', className)}
    >
      {children}
    </Link>
  );
