import type { CommandSource } from '../../commands/command.ts';
import { requestAction } from '../../commands/requested-action.ts';
import { paths } from '../../routes.ts';
import { palette } from '../../strings/palette.ts';

/** Commands of the wallet. */
export const walletCommands: CommandSource = ({ navigate }) => [
  {
    id: 'wallet.receive',
    title: palette.commands.receive,
    group: palette.groups.money,
    keywords: 'redeem paste ecash cashu',
    run: () => {
      requestAction({ kind: 'receive-token' });
      navigate(paths.wallet);
    },
  },
];
