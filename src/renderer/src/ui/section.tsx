import { type ReactNode, useId } from 'react';

/** A part of a page with its own heading. */
export const Section = ({
  heading,
  aside,
  children,
}: {
  readonly heading: string;
  /** Content next to the heading. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) => {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-2 px-6 py-4">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h2 id={id} className="font-semibold">
          {heading}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
};
