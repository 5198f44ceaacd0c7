import { refreshPrice } from '../../../../shared/api/pricing.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import type { CommandSource } from '../../commands/command.ts';
import { palette } from '../../strings/palette.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';

const words = palette.commands;

/** Commands of the prices. */
export const pricingCommands: CommandSource = ({ client }) => [
  {
    id: 'pricing.refresh',
    title: words.refreshPrice,
    group: palette.groups.money,
    keywords: 'bitcoin usd sats',
    run: () => {
      call(refreshPrice, {})
        .then(() => notify(words.priceRefreshed))
        .catch((error: unknown) => notifyFailure(words.priceFailed, error))
        .finally(() => void client.invalidateQueries({ queryKey: keys.pricing }));
    },
  },
];
