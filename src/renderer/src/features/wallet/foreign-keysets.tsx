import { titleOf } from '../../../../shared/api/errors.ts';
import type { MintStatus } from '../../../../shared/api/wallet.ts';
import { wallet as words } from '../../strings/wallet.ts';
import { Button } from '../../ui/button.tsx';
import { Callout } from '../../ui/callout.tsx';
import { Failure } from '../../ui/failures.tsx';
import { useMintAddress } from './use-wallet.ts';

type ForeignKeysets = NonNullable<MintStatus['foreignKeysets']>[number];

interface ForeignKeysetsProps {
  readonly mints: readonly ForeignKeysets[];
  /** True with the operator token, which a change needs. */
  readonly canChange: boolean;
}

/** Says that the mint lists other mints' keysets, and offers the new address if it may be one of those mints. */
export const ForeignKeysetsNotice = ({ mints, canChange }: ForeignKeysetsProps) => (
  <>
    {mints.map((each) =>
      each.all ? (
        <OtherAddress key={each.mint} from={each.mint} canChange={canChange} />
      ) : (
        <Callout key={each.mint} tone="warn" title={words.foreignKeysets.title}>
          <p className="wrap-anywhere">{words.foreignKeysets.hint(each.mint)}</p>
        </Callout>
      ),
    )}
  </>
);

const OtherAddress = ({ from, canChange }: { readonly from: string; readonly canChange: boolean }) => {
  const { mutate, isPending, data, error } = useMintAddress(from);
  return (
    <>
      <Callout
        tone="warn"
        title={words.otherAddress.title}
        actions={
          canChange && (
            <div className="mt-1">
              <Button size="small" disabled={isPending || data !== undefined} onClick={() => mutate()}>
                {words.otherAddress.change}
              </Button>
            </div>
          )
        }
      >
        <p className="wrap-anywhere">{words.otherAddress.hint(from)}</p>
        {data?.restarting === false && <p>{words.otherAddress.restart}</p>}
      </Callout>
      {error && (
        <Failure
          title={titleOf(error.code) ?? words.otherAddress.failed}
          code={error.code}
          message={error.message}
        />
      )}
    </>
  );
};
