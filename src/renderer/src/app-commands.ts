import { refreshPrice } from '../../shared/api/pricing.ts';
import { call } from './api/client.ts';
import { keys } from './api/queries.ts';
import type { Command, CommandContext, CommandSource } from './commands/command.ts';
import { agentCommands } from './features/agents/agent-commands.ts';
import { requestAction } from './intents/requested-action.ts';
import { paths } from './routes.ts';
import { palette } from './strings/palette.ts';
import { chooseLineNumbers, lineNumbersChosen } from './theme/line-numbers.ts';
import { chooseTheme, chosenTheme, THEMES } from './theme/theme.ts';
import { notify, notifyFailure } from './ui/toast.tsx';

const { commands: words, groups } = palette;

const pricingCommands: CommandSource = ({ client }) => [
  {
    id: 'pricing.refresh',
    title: words.refreshPrice,
    group: groups.money,
    keywords: 'bitcoin usd sats',
    run: () => {
      call(refreshPrice, {})
        .then(() => notify(words.priceRefreshed))
        .catch((error: unknown) => notifyFailure(words.priceFailed, error))
        .finally(() => void client.invalidateQueries({ queryKey: keys.pricing }));
    },
  },
];

const walletCommands: CommandSource = ({ navigate }) => [
  {
    id: 'wallet.receive',
    title: words.receive,
    group: groups.money,
    keywords: 'redeem paste ecash cashu',
    run: () => {
      requestAction({ kind: 'receive-token' });
      navigate(paths.wallet);
    },
  },
];

const pageCommands: CommandSource = ({ navigate }) => [
  { id: 'go.overview', title: words.goOverview, group: groups.go, run: () => navigate(paths.overview) },
  { id: 'go.agents', title: words.goAgents, group: groups.go, run: () => navigate(paths.agents) },
  { id: 'go.catalog', title: words.goCatalog, group: groups.go, run: () => navigate(paths.catalog) },
  {
    id: 'go.matrix',
    title: words.goMatrix,
    group: groups.go,
    keywords: 'skills links grid compare',
    run: () => navigate(paths.matrix('skills')),
  },
  { id: 'go.wallet', title: words.goWallet, group: groups.go, run: () => navigate(paths.wallet) },
  { id: 'go.pricing', title: words.goPricing, group: groups.go, run: () => navigate(paths.pricing) },
  {
    id: 'go.api',
    title: words.goApi,
    group: groups.go,
    keywords: 'curl openapi http agents',
    run: () => navigate(paths.api),
  },
  {
    id: 'go.requests',
    title: words.goRequests,
    group: groups.go,
    keywords: 'log traffic who called errors status',
    run: () => navigate(paths.apiRequests),
  },
  { id: 'go.trash', title: words.goTrash, group: groups.go, run: () => navigate(paths.trash) },
  {
    id: 'go.settings',
    title: words.goSettings,
    group: groups.go,
    keywords: 'preferences root port mint dev mode',
    shortcut: 'settings',
    run: () => navigate(paths.settings),
  },
];

const lineNumbersCommand = (): Command => {
  const areShown = lineNumbersChosen();
  return {
    id: 'editor.line-numbers',
    title: areShown ? words.lineNumbers.hide : words.lineNumbers.show,
    group: groups.look,
    keywords: 'editor gutter',
    run: () => chooseLineNumbers(!areShown),
  };
};

const lookCommands: CommandSource = () => [
  ...THEMES.filter((theme) => theme !== chosenTheme()).map((theme) => ({
    id: `theme.${theme}`,
    title: words.theme[theme],
    group: groups.look,
    keywords: 'appearance colour color mode',
    run: () => chooseTheme(theme),
  })),
  lineNumbersCommand(),
];

const helpCommands: CommandSource = ({ show }) => [
  {
    id: 'help.shortcuts',
    title: words.shortcuts,
    group: groups.help,
    shortcut: 'shortcuts',
    run: () => show('shortcuts'),
  },
];

const SOURCES: readonly CommandSource[] = [
  agentCommands,
  pageCommands,
  walletCommands,
  pricingCommands,
  lookCommands,
  helpCommands,
];

/** Every command that makes sense now, from all features. Loaded with the palette. */
export const allCommands = (context: CommandContext): readonly Command[] =>
  SOURCES.flatMap((source) => source(context));
