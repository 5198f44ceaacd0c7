import { refreshPrice } from '../../../shared/api/pricing.ts';
import { call } from '../api/client.ts';
import { desktopBridge } from '../api/desktop.ts';
import { after, refreshAfter } from '../api/invalidations.ts';
import { balanceQuery } from '../api/wallet-queries.ts';
import {
  agentActions,
  agentCommands,
  deleteAgentCommands,
  newAgentCommands,
} from '../features/agents/agent-commands.ts';
import type { SearchTarget } from '../features/palette/search-targets.ts';
import { sellCommands } from '../features/sell/sell-commands.ts';
import { getTestSats, TEST_SATS } from '../money/use-test-sats.ts';
import { agentOf, paths, type SettingsSection } from '../routes.ts';
import { palette as words } from '../strings/palette.ts';
import { settings as settingsWords } from '../strings/settings.ts';
import { signInWords } from '../strings/sign-in.ts';
import { testSats as testSatsWords } from '../strings/test-sats.ts';
import { reportFailure } from '../ui/failures.tsx';
import { notify } from '../ui/toast.tsx';
import { chooseLineNumbers, chooseTheme, chosenTheme, lineNumbersChosen, THEMES } from './appearance.ts';
import { requestAction, requestEntry } from './intents.ts';
import type { CommandContext, CommandSource, SearchCommand } from './search.ts';

const pricingCommands: CommandSource = ({ client }) => [
  {
    id: 'pricing.refresh',
    title: words.commands.refreshPrice,
    group: words.groups.money,
    keywords: 'bitcoin usd sats',
    run: () => {
      call(refreshPrice, {})
        .then(() => notify(words.commands.priceRefreshed))
        .catch((error: unknown) => reportFailure(words.commands.priceFailed, error))
        .finally(() => void refreshAfter(client, after.btcPrice()));
    },
  },
];

/** Returns the commands for test sats, which affect the open agent if there is one. */
const testSats = (
  agent: string | undefined,
  { client, navigate }: Pick<CommandContext, 'client' | 'navigate'>,
): readonly SearchCommand[] =>
  client.getQueryData(balanceQuery().queryKey)?.devMode === true
    ? [
        {
          id: 'wallet.test-sats',
          title: agent === undefined ? testSatsWords.get(TEST_SATS) : testSatsWords.getFor(TEST_SATS, agent),
          group: words.groups.money,
          keywords: 'get paid pay play customer test money',
          run: () => void getTestSats({ agent, client, navigate }),
        },
      ]
    : [];

const testSatsCommands: CommandSource = (context) => testSats(agentOf(context.page) ?? undefined, context);

const walletCommands: CommandSource = ({ navigate }) => [
  {
    id: 'wallet.receive',
    title: words.commands.receive,
    group: words.groups.money,
    keywords: 'redeem paste ecash cashu',
    run: () => {
      requestAction({ kind: 'receive-token' });
      navigate(paths.wallet);
    },
  },
  {
    id: 'wallet.send',
    title: words.commands.send,
    group: words.groups.money,
    keywords: 'pay token ecash cashu',
    run: () => {
      requestAction({ kind: 'send-sats' });
      navigate(paths.wallet);
    },
  },
];

const pageCommands: CommandSource = ({ navigate }) => [
  {
    id: 'go.overview',
    title: words.commands.goOverview,
    group: words.groups.go,
    run: () => navigate(paths.overview),
  },
  {
    id: 'go.agents',
    title: words.commands.goAgents,
    group: words.groups.go,
    run: () => navigate(paths.agents),
  },
  {
    id: 'go.problems',
    title: words.commands.problems,
    group: words.groups.go,
    keywords: 'fix checks attention broken links errors warnings',
    run: () => navigate(`${paths.agents}?filter=problems`),
  },
  {
    id: 'go.catalog',
    title: words.commands.goCatalog,
    group: words.groups.go,
    run: () => navigate(paths.catalog),
  },
  {
    id: 'go.matrix',
    title: words.commands.goMatrix,
    group: words.groups.go,
    keywords: 'skills links grid compare',
    run: () => navigate(paths.matrix('skills')),
  },
  {
    id: 'go.mcpMatrix',
    title: words.commands.goMcpMatrix,
    group: words.groups.go,
    keywords: 'servers tools context protocol grid compare',
    run: () => navigate(paths.matrix('mcp')),
  },
  {
    id: 'go.wallet',
    title: words.commands.goWallet,
    group: words.groups.go,
    run: () => navigate(paths.wallet),
  },
  {
    id: 'go.pricing',
    title: words.commands.goPricing,
    group: words.groups.go,
    run: () => navigate(paths.pricing),
  },
  {
    id: 'go.api',
    title: words.commands.goApi,
    group: words.groups.go,
    keywords: 'curl openapi http agents',
    run: () => navigate(paths.api),
  },
  { id: 'go.trash', title: words.commands.goTrash, group: words.groups.go, run: () => navigate(paths.trash) },
  {
    id: 'go.settings',
    title: words.commands.goSettings,
    group: words.groups.go,
    keywords: 'preferences root port mint dev mode',
    shortcut: 'settings',
    run: () => navigate(paths.settings),
  },
];

const lineNumbersCommand = (): SearchCommand => {
  const areShown = lineNumbersChosen();
  return {
    id: 'editor.line-numbers',
    title: areShown ? words.commands.lineNumbers.hide : words.commands.lineNumbers.show,
    group: words.groups.look,
    keywords: 'editor gutter',
    run: () => chooseLineNumbers(!areShown),
  };
};

const lookCommands: CommandSource = () => [
  ...THEMES.filter((theme) => theme !== chosenTheme()).map((theme) => ({
    id: `theme.${theme}`,
    title: words.commands.theme[theme],
    group: words.groups.look,
    keywords: 'appearance colour color mode',
    run: () => chooseTheme(theme),
  })),
  lineNumbersCommand(),
];

const historyCommands: CommandSource = ({ show }) => [
  {
    id: 'go.changes',
    title: words.commands.changes,
    group: words.groups.go,
    keywords: 'history undo redo restore versions log',
    shortcut: 'changes',
    run: () => show('changes'),
  },
];

const helpCommands: CommandSource = ({ show }) => [
  {
    id: 'help.shortcuts',
    title: words.commands.shortcuts,
    group: words.groups.help,
    shortcut: 'shortcuts',
    run: () => show('shortcuts'),
  },
];

const SOURCES: readonly CommandSource[] = [
  agentCommands,
  sellCommands,
  deleteAgentCommands,
  newAgentCommands,
  pageCommands,
  historyCommands,
  walletCommands,
  testSatsCommands,
  pricingCommands,
  lookCommands,
  helpCommands,
];

/** Returns every command that currently applies, from all features. */
export const allCommands = (context: CommandContext): readonly SearchCommand[] =>
  SOURCES.flatMap((source) => source(context));

/** Returns the commands for an agent that isn't open. Searching for its id finds each of them. */
export const commandsForAgent = (
  id: string,
  context: Pick<CommandContext, 'client' | 'navigate'>,
): readonly SearchCommand[] =>
  [...agentActions(id, context), ...testSats(id, context)].map((command) => ({
    ...command,
    id: `${command.id}.${id}`,
    group: id,
    keywords: `${id} ${command.keywords ?? ''}`,
  }));

/** A setting that the search can find. */
interface IndexedSetting {
  /** The setting's `data-setting` attribute on the page. */
  readonly id: string;
  readonly section: SettingsSection;
  readonly label: string;
  /** Other words that find the setting. */
  readonly keywords: string;
}

const indexed = (section: SettingsSection, id: string, label: string, keywords: string): IndexedSetting => ({
  id,
  section,
  label,
  keywords,
});

/** The settings on every page. */
const SETTINGS_INDEX: readonly IndexedSetting[] = [
  ...Object.entries(settingsWords.fields).map(([id, words]) => ({ id, ...words })),
  indexed('appearance', 'theme', settingsWords.theme, 'appearance dark light system colour color mode zoom'),
  indexed('appearance', 'lineNumbers', settingsWords.lineNumbers, 'editor files gutter'),
  indexed(
    'pricing',
    'countSubscriptions',
    settingsWords.countSubscriptions,
    'oauth plan budget margin spent',
  ),
  indexed('keys', 'agentKeys', settingsWords.agentKeys, 'create revoke agent key scope limit spend dmk'),
  indexed('keys', 'browsers', signInWords.section, 'sign in sign out keep page key'),
  indexed('keys', 'operatorToken', signInWords.operatorToken, 'renew api scripts'),
  indexed('about', 'version', settingsWords.version, 'about release'),
  indexed('about', 'dataFolder', settingsWords.dataFolder, 'path files wallet directory model prices'),
];

/** The settings that only the desktop app has. */
const DESKTOP_INDEX: readonly IndexedSetting[] = [
  indexed('desktop', 'closeToTray', settingsWords.closeToTray, 'window background'),
  indexed('desktop', 'startAtLogin', settingsWords.startAtLogin, 'autostart'),
  indexed('desktop', 'checkForUpdates', settingsWords.checkForUpdates, 'version release'),
  indexed('desktop', 'notifications', settingsWords.notificationsSection, 'payment mint update budget sales'),
];

/** Returns every setting as a search target. */
export const settingTargets = (navigate: (path: string) => void): readonly SearchTarget[] =>
  [...SETTINGS_INDEX, ...(desktopBridge() ? DESKTOP_INDEX : [])].map(({ id, section, label, keywords }) => ({
    key: `setting:${id}`,
    title: label,
    detail: settingsWords.sections[section],
    keywords,
    icon: 'settings',
    run: () => {
      requestEntry({ kind: 'setting', id });
      navigate(paths.settingsOf(section));
    },
  }));
