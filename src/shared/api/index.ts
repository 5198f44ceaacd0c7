import * as agents from './agents.ts';
import { getBudget, listBudgets, setBudget } from './budgets.ts';
import * as catalog from './catalog.ts';
import * as changes from './changes.ts';
import * as charges from './charges.ts';
import * as checks from './checks.ts';
import { getCost } from './cost.ts';
import * as drafts from './drafts.ts';
import { getEarnings } from './earnings.ts';
import type { EndpointShape } from './endpoint.ts';
import { listEntries } from './entries.ts';
import { streamEvents } from './events.ts';
import * as files from './files.ts';
import { getHealth } from './health.ts';
import * as jsonFiles from './json-files.ts';
import * as keys from './keys.ts';
import { changeLinks, countLinks, getLinkMatrix, links } from './links.ts';
import * as mcp from './mcp.ts';
import { getIndex, getOpenApi } from './openapi.ts';
import { renewOperatorToken } from './operator-token.ts';
import { getPackages } from './packages.ts';
import { createPageKey, deletePageKey, listPageKeys } from './page-keys.ts';
import * as piModels from './pi-models.ts';
import * as piSettings from './pi-settings.ts';
import { changePreferences, getPreferences } from './preferences.ts';
import * as prepaidBalances from './prepaid-balances.ts';
import * as presets from './presets.ts';
import * as pricing from './pricing.ts';
import { listProfiles } from './profiles.ts';
import { getPrompt } from './prompt.ts';
import { getReadiness, listSignIns } from './readiness.ts';
import { listRequests } from './requests.ts';
import { checkRoot, getRootTrust, setUpRoot, trustRoot, withdrawRootTrust } from './root.ts';
import { listRoots } from './roots.ts';
import { searchPrompts } from './search.ts';
import * as services from './services.ts';
import * as sessions from './sessions.ts';
import * as settings from './settings.ts';
import * as signIn from './sign-in.ts';
import { listStatus, reportStatus, showTerminal } from './status.ts';
import * as trash from './trash.ts';
import { getUsage, listLastRuns } from './usage.ts';
import * as wallet from './wallet.ts';

/** All of the API's endpoints. Routes that aren't here can't be bound, and aren't in the OpenAPI document. */
export const endpoints: readonly EndpointShape[] = [
  getHealth,
  getIndex,
  agents.listAgents,
  agents.getAgent,
  agents.getRunCommand,
  agents.createAgent,
  agents.duplicateAgent,
  agents.deleteAgent,
  listProfiles,
  getPrompt,
  listEntries,
  getCost,
  getReadiness,
  listSignIns,
  piSettings.getPiSettings,
  piModels.getPiModels,
  piModels.findModels,
  piModels.testModel,
  getPackages,
  files.readFile,
  jsonFiles.readJsonFile,
  files.writeFile,
  mcp.getMcp,
  mcp.listMcp,
  changes.makeChanges,
  changes.listChanges,
  changes.getChange,
  changes.undoChange,
  changes.restoreChange,
  changes.finishChange,
  drafts.listDrafts,
  drafts.readDraft,
  drafts.writeDraft,
  drafts.deleteDraft,
  catalog.listExtensions,
  catalog.listSkills,
  catalog.listPromptTemplates,
  catalog.listThemes,
  ...Object.values(catalog.readEntryText),
  catalog.installSkill,
  catalog.uninstallSkill,
  catalog.installStatusExtension,
  ...Object.values(catalog.listUsage),
  checks.countFindings,
  checks.checkAgent,
  checks.fixFindings,
  checks.checkSharedSkill,
  countLinks,
  getLinkMatrix,
  changeLinks,
  presets.listPresets,
  presets.readPreset,
  presets.writePreset,
  presets.renamePreset,
  presets.deletePreset,
  presets.restorePreset,
  presets.applyPreset,
  searchPrompts,
  listBudgets,
  getBudget,
  setBudget,
  getUsage,
  listLastRuns,
  sessions.listSessions,
  sessions.readSession,
  sessions.getResumeCommand,
  sessions.deleteSession,
  listStatus,
  reportStatus,
  showTerminal,
  getEarnings,
  ...Object.values(links.extensions),
  ...Object.values(links.skills),
  ...Object.values(links.prompts),
  ...Object.values(links.themes),
  keys.listKeys,
  keys.getOwnKey,
  keys.createKey,
  keys.deleteKey,
  signIn.exchangeToken,
  signIn.getChallenge,
  signIn.signIn,
  listPageKeys,
  createPageKey,
  deletePageKey,
  renewOperatorToken,
  trash.listTrash,
  trash.restoreFromTrash,
  trash.removeFromTrash,
  wallet.validateToken,
  wallet.receiveToken,
  wallet.getOperation,
  wallet.attributeOperation,
  wallet.getBalance,
  wallet.checkProofs,
  wallet.getBalanceHistory,
  wallet.getMint,
  wallet.changeMintAddress,
  wallet.checkMint,
  wallet.listHistory,
  wallet.sendToken,
  wallet.reclaimToken,
  wallet.releaseOperation,
  wallet.getSeed,
  wallet.confirmSeed,
  wallet.replaceMissingSeed,
  wallet.restoreWallet,
  wallet.rescanWallet,
  wallet.createTestToken,
  wallet.listTestTokens,
  wallet.redeemTestToken,
  wallet.dropTestToken,
  charges.createCharge,
  charges.quoteCharge,
  charges.openAndPayCharge,
  charges.payCharge,
  charges.settleCharge,
  charges.releaseCharge,
  charges.refundToken,
  charges.listCharges,
  charges.getCharge,
  prepaidBalances.openPrepaidBalance,
  prepaidBalances.readPrepaidBalance,
  prepaidBalances.topUpPrepaidBalance,
  prepaidBalances.refundPrepaidBalance,
  prepaidBalances.blockPrepaidBalance,
  services.listServices,
  services.checkService,
  services.listSoldChanges,
  services.previewService,
  services.startService,
  services.buyFromService,
  services.stopService,
  services.listSales,
  pricing.getTokenPrice,
  pricing.quoteTokens,
  pricing.getBtcPrice,
  pricing.listModels,
  pricing.writeModels,
  pricing.refreshPrice,
  pricing.listPriceHistory,
  pricing.previewImport,
  listRoots,
  getPreferences,
  changePreferences,
  settings.getSettings,
  settings.changeSettings,
  checkRoot,
  setUpRoot,
  getRootTrust,
  trustRoot,
  withdrawRootTrust,
  streamEvents,
  listRequests,
  getOpenApi,
];
