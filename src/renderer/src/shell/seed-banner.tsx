import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { balanceQuery } from '../api/queries.ts';
import { raiseIntent } from '../commands/intents.ts';
import { paths } from '../routes.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { BANNER } from './banners.tsx';

const words = strings.shell;

/** Says on every page that the wallet's backup words are missing, until that is fixed. */
export const SeedBanner = () => {
  const { data } = useQuery(balanceQuery());
  const [, navigate] = useLocation();
  if (data?.seed !== 'missing') return null;
  const fix = (): void => {
    raiseIntent({ kind: 'fix-seed' });
    navigate(paths.wallet);
  };
  return (
    <div role="alert" className={`${BANNER} border-danger-line bg-danger-soft text-danger`}>
      {words.seedMissing}
      <Button size="small" onClick={fix}>
        {words.fixSeed}
      </Button>
    </div>
  );
};
