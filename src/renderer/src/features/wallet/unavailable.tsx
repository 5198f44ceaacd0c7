import { SignInForm } from '../../sign-in/sign-in-form.tsx';
import { wallet as texts } from '../../strings/wallet.ts';
import { Callout } from '../../ui/callout.tsx';
import { Section } from '../../ui/section.tsx';

const words = texts;

/** Why a part of the wallet is not there: the page has no operator token, or no real sats are moved. */
export const Unavailable = ({
  heading,
  why,
}: {
  readonly heading: string;
  readonly why: 'locked' | 'devMode';
}) => (
  <Section heading={heading}>
    {why === 'devMode' ? (
      <Callout tone="note">{words.send.devMode}</Callout>
    ) : (
      <Callout tone="note" title={words.locked.title}>
        <p>{words.locked.hint}</p>
        <SignInForm />
      </Callout>
    )}
  </Section>
);
