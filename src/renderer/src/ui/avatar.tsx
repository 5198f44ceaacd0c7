import { cx } from './cx.ts';

// Class names are written out, because Tailwind doesn't find composed ones.
const COLORS = [
  'bg-avatar-0 text-on-avatar-0',
  'bg-avatar-1 text-on-avatar-1',
  'bg-avatar-2 text-on-avatar-2',
  'bg-avatar-3 text-on-avatar-3',
  'bg-avatar-4 text-on-avatar-4',
  'bg-avatar-5 text-on-avatar-5',
  'bg-avatar-6 text-on-avatar-6',
  'bg-avatar-7 text-on-avatar-7',
] as const;

const SIZES = {
  small: 'size-4 rounded text-[0.5625rem]',
  medium: 'size-5 rounded-md text-[0.625rem]',
  large: 'size-9 rounded-lg text-lg',
} as const;

/** Returns an agent's color number. The same id has the same color on every computer. */
export const avatarColor = (id: string): number => {
  // FNV-1a gives different colors to ids that differ only in their last digit.
  let hash = 0x811c9dc5;
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return ((hash ^ (hash >>> 15)) >>> 0) % COLORS.length;
};

/** Returns the initials of the first two words in an agent's id, such as "GS" for `git-summary`. */
export const initialsOf = (id: string): string =>
  id
    .split(/[._-]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map(([first]) => first?.toUpperCase())
    .join('');

/** An agent's initials on its color. Show the name next to it, because assistive technology skips the avatar. */
export const Avatar = ({
  id,
  size = 'medium',
}: {
  readonly id: string;
  readonly size?: keyof typeof SIZES;
}) => (
  <span
    aria-hidden="true"
    className={cx(
      'inline-flex shrink-0 select-none items-center justify-center font-semibold',
      COLORS[avatarColor(id)],
      SIZES[size],
    )}
  >
    {initialsOf(id)}
  </span>
);
