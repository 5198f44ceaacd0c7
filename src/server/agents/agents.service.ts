import { isAbsolute, join } from 'node:path';
import { isTooLongToRun, RUN_FILE_LIMIT } from '../../pi/pi-args.ts';
import type { AgentListEntry, AgentSummary, FileInfo } from '../../shared/api/agents.ts';
import { type EditableFile, isLeftOutOfCopies } from '../../shared/api/names.ts';
import {
  PI_INSTALL_COMMAND,
  PI_NODE,
  type ResumableSession,
  type RunCommand,
  type RunnableAgent,
  resumeCommand,
  runCommand,
} from '../../shared/run-command.ts';
import { agentNotFound, requireAgent } from '../platform/agent-directory.ts';
import { AppError, systemCode } from '../platform/app-error.ts';
import { OPERATOR_READER, operatorRequired, type Reader } from '../platform/caller.ts';
import {
  type AgentsAccess,
  type ChangeItem,
  type Changes,
  MISSING,
  stateAfter,
} from '../platform/changes.ts';
import type { Clock } from '../platform/clock.ts';
import { hostLinks, type LinkSystem } from '../platform/create-link.ts';
import { currentRequest } from '../platform/current-request.ts';
import type { PiFinder } from '../platform/installed-pi.ts';
import type { KeyedLock } from '../platform/keyed-lock.ts';
import type { PreparedBody } from '../platform/prepared-body.ts';
import { isAgentIdTaken, type Root, withAgents } from '../platform/root.ts';
import { copyBeside } from './copy-agent.ts';
import type { SetupScript } from './setup-script.ts';

/** Lists the agents in the root. Throws `root_unavailable`. */
type AgentLister = () => Promise<PreparedBody<{ agents: AgentListEntry[] }>>;

type FileInfos = Readonly<Record<EditableFile, FileInfo>>;

/** Reads an agent's editable files. Throws `agent_not_found`. */
interface AgentFiles {
  inspect(id: string, reader: Reader): FileInfos | Promise<FileInfos>;
  /** Returns undefined if the file doesn't exist. Throws if dot-mi refuses to read it. */
  readText(id: string, name: EditableFile, reader: Reader): Promise<string | undefined>;
}

/** The part of the trash that this service uses. The caller holds the agent's lock. */
interface AgentTrash {
  /** Returns a new name for the trash item of an agent. */
  newEntry(id: string): string;
  /** Moves the file or directory at the agent's path. Returns the name of the trash item. */
  moveToTrash(id: string, entry?: string): Promise<string>;
  /** Restores an agent. Throws `trash_entry_not_found` and `agent_exists`. */
  bringAgentBack(entry: string, id: string): Promise<void>;
}

/** Dependencies of {@link createAgentsService}. */
export interface AgentsDeps {
  root: Root;
  list: AgentLister;
  files: AgentFiles;
  trash: AgentTrash;
  changes: Pick<Changes, 'apply' | 'record'>;
  setupScript: SetupScript;
  /** Resolves to whether the operator trusts the root as it is now. */
  isRootTrusted(): Promise<boolean>;
  /**
   * Reports whether an agent has a budget and whether it's used up. Throws `root_unavailable` and `budgets_damaged`.
   */
  budgetState(id: string): Promise<'none' | 'left' | 'used'>;
  findPi: PiFinder;
  clock: Pick<Clock, 'now'>;
  /** dot-mi's address. Undefined before it listens. */
  apiUrl(): string | undefined;
  hasKey(id: string): boolean;
  /** Revokes all keys of agents with this id, and ends its service. Resolves once that is on disk. */
  revokeKeysOf(id: string): Promise<void>;
  /** Forgets what belonged to an earlier agent with this id: its keys, service and budget. */
  forgetAgent(id: string): Promise<void>;
  /** Locked by agent id during every change to an agent's directory. */
  agentLock: KeyedLock;
  linkSystem?: LinkSystem | undefined;
}

/** Lists, summarizes, runs, creates, duplicates and deletes agents. */
export interface AgentsService {
  list: AgentLister;
  /** Synchronous if the root is on a fast local disk. */
  summarize(id: string, reader: Reader): AgentSummary | Promise<AgentSummary>;
  /** Builds the command that runs an agent. Throws if its pi-args or workspace.conf can't be read. */
  runCommand(id: string, reader: Reader): Promise<RunCommand>;
  /** Like `runCommand`, but with the path of pi, for a terminal that dot-mi opens. */
  terminalCommand(id: string): Promise<RunCommand>;
  /** Builds the command that resumes one of an agent's sessions. */
  resumeCommand(id: string, session: ResumableSession): Promise<RunCommand>;
  create(id: string, workspace: boolean): Promise<void>;
  /** Copies an agent. Returns the names of entries that weren't copied. */
  duplicate(id: string, name: string): Promise<string[]>;
  /** Returns the name of the trash item. */
  delete(id: string, confirm: string): Promise<string>;
  /** Returns the item of a change set that moves an agent to the trash. */
  deletion(id: string): ChangeItem;
  readonly access: AgentsAccess;
}

const agentExists = (id: string) =>
  new AppError('agent_exists', `An agent, file or link named "${id}" already exists. Choose another id.`);

const NOT_TRUSTED = {
  code: 'root_not_trusted',
  message: 'This root isn’t trusted yet. Read pi-args and the extensions before you run the agent.',
} as const;

const PI_MISSING = {
  code: 'pi_missing',
  message: `dot-mi can’t find pi on its PATH. If your terminal can’t find it either, install it with Node ${PI_NODE} or newer: ${PI_INSTALL_COMMAND}`,
} as const;

const BUDGET_USED = {
  code: 'budget_used',
  message: 'The agent has used up its budget. Raise it in dot-mi, or wait until it resets.',
} as const;

export const createAgentsService = ({
  root,
  list,
  files,
  trash,
  changes,
  setupScript,
  isRootTrusted,
  budgetState,
  findPi,
  clock,
  apiUrl,
  hasKey,
  revokeKeysOf,
  forgetAgent,
  agentLock,
  linkSystem = hostLinks,
}: AgentsDeps): AgentsService => {
  const createLocked = async (id: string, workspace: boolean) => {
    if (await isAgentIdTaken(root, id)) throw agentExists(id);
    try {
      await setupScript.createAgent(id, workspace);
      // SECURITY: an agent removed outside dot-mi may have left keys, and the new agent must not inherit them. Only now,
      // because a script that never ran creates no agent, and the old one may be back.
      await forgetAgent(id);
      await requireAgent(root, id).catch((error) => {
        if (!(error instanceof AppError) || error.code !== 'agent_not_found') throw error;
        throw new AppError(
          'setup_script_failed',
          `The setup script reported success but didn’t create the agent "${id}". Check the script.`,
          {
            exitCode: 0,
            stderr: '',
          },
        );
      });
    } catch (error) {
      // The path was free before, so this is a half-created agent. Move it to the trash and don't delete it, because
      // someone may already be editing it, or another program may have taken the name.
      if (await isAgentIdTaken(root, id)) await trash.moveToTrash(id);
      throw error;
    }
  };

  const duplicateLocked = async (id: string, name: string) => {
    await requireAgent(root, id);
    if (await isAgentIdTaken(root, name)) throw agentExists(name);
    // SECURITY: the new agent must not inherit keys, as above.
    await forgetAgent(name);
    try {
      return await withAgents(root, (agents) =>
        copyBeside(agents, id, name, { path: root.agent(name), linkSystem }, isLeftOutOfCopies),
      );
    } catch (error) {
      // Another program may have removed the source or taken the new name in the meantime.
      await requireAgent(root, id);
      const taken = ['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(systemCode(error) ?? '');
      throw taken && (await isAgentIdTaken(root, name)) ? agentExists(name) : error;
    }
  };

  /** Builds a command from facts that only the server has. */
  const build = async (
    id: string,
    command: (known: Pick<RunnableAgent, 'apiUrl' | 'hasKey' | 'budget'>) => RunCommand,
  ): Promise<RunCommand> => {
    // If budgets can't be read, assume that this agent has one, so that the command checks it.
    const [state, pi, isTrusted] = await Promise.all([
      budgetState(id).catch(() => 'left' as const),
      findPi(),
      isRootTrusted(),
    ]);
    const url = apiUrl();
    const { warnings, ...built } = command({
      // Without it, an agent's extensions would talk to whatever program owns dot-mi's usual port.
      apiUrl: url,
      hasKey: hasKey(id),
      budget:
        url === undefined || state === 'none'
          ? undefined
          : {
              agent: id,
              url: `${url}/api/agents/${id}/budget`,
              directory: join(await requireAgent(root, id), 'agents', id),
            },
    });
    return {
      ...built,
      warnings: [
        ...(pi ? [] : [PI_MISSING]),
        ...(isTrusted ? [] : [NOT_TRUSTED]),
        ...(state === 'used' ? [BUDGET_USED] : []),
        ...warnings,
      ],
    };
  };

  /**
   * Reads a file that shapes a run. SECURITY: refuses one that is too long to interpret, because without its pi-args
   * an agent would start with all tools.
   */
  const readForRun = async (id: string, name: 'pi-args' | 'workspace.conf', reader: Reader) => {
    const text = await files.readText(id, name, reader);
    if (text !== undefined && isTooLongToRun(text))
      throw new AppError(
        'file_too_large',
        `dot-mi can’t build a command, because ${name} is larger than ${RUN_FILE_LIMIT}. Shorten it.`,
      );
    return text;
  };

  const buildRun = async (id: string, reader: Reader, pi?: string): Promise<RunCommand> => {
    const [piArgs, conf] = await Promise.all([
      readForRun(id, 'pi-args', reader),
      readForRun(id, 'workspace.conf', reader),
    ]);
    const workspace = conf === undefined ? undefined : { parent: join(root.path, 'workspaces', id), conf };
    return build(id, (known) =>
      runCommand({ path: root.agent(id), pi, piArgs, workspace, ...known }, new Date(clock.now())),
    );
  };

  /** Runs `make`, which creates an agent, as one change. The caller holds the agent's lock. */
  const recorded = async <T>(label: string, id: string, make: () => Promise<T>): Promise<T> => {
    const after = { is: 'directory' } as const;
    const { value } = await changes.record(
      label,
      [{ path: `agents/${id}`, before: MISSING, after }],
      async (isRecorded) => {
        await isRecorded;
        return make();
      },
    );
    return value;
  };

  const access: AgentsAccess = {
    async read(id) {
      try {
        await requireAgent(root, id);
        return { is: 'directory', trash: trash.newEntry(id) };
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'agent_not_found') throw error;
        return (await isAgentIdTaken(root, id)) ? { is: 'other' } : MISSING;
      }
    },
    async write(id, before, after, isRecorded) {
      await isRecorded;
      if (after.is === 'missing' && before.is === 'directory') {
        await requireAgent(root, id);
        // SECURITY: revoke first. A deleted agent with working keys is worse than an agent without keys.
        await revokeKeysOf(id);
        await trash.moveToTrash(id, before.trash);
        return after;
      }
      // SECURITY: as for the trash itself.
      const caller = currentRequest()?.caller;
      if (caller && caller.kind !== 'operator') throw operatorRequired();
      if (after.is !== 'directory' || after.trash === undefined)
        throw new AppError('nothing_to_undo', `dot-mi can’t create the agent "${id}" again.`);
      await trash.bringAgentBack(after.trash, id);
      return after;
    },
  };

  const deletion = (id: string): ChangeItem => ({
    path: `agents/${id}`,
    plan(before) {
      if (before.is !== 'directory') throw agentNotFound(id);
      return MISSING;
    },
  });

  const summaryOf = (id: string, files: FileInfos): AgentSummary => ({
    id,
    path: root.agent(id),
    workspace: files['workspace.conf'].exists,
    optionalFiles: { appendSystem: files['APPEND_SYSTEM.md'].exists, agentMd: files['AGENT.md'].exists },
    files,
  });

  return {
    list,

    summarize(id, reader) {
      const infos = files.inspect(id, reader);
      return infos instanceof Promise ? infos.then((found) => summaryOf(id, found)) : summaryOf(id, infos);
    },

    runCommand: (id, reader) => buildRun(id, reader),

    async terminalCommand(id) {
      // On Windows, PowerShell finds pi, which is a script there.
      const pi = process.platform === 'win32' ? undefined : (await findPi())?.command?.[0];
      return buildRun(id, OPERATOR_READER, pi);
    },

    async resumeCommand(id, { path, cwd }) {
      const piArgs = await readForRun(id, 'pi-args', OPERATOR_READER);
      // Only sessions from other programs contain relative directories, and those depend on where they're read.
      const directory = cwd !== undefined && isAbsolute(cwd) ? cwd : undefined;
      return build(id, (known) =>
        resumeCommand({ path: root.agent(id), piArgs, ...known }, { path, cwd: directory }),
      );
    },

    create: (id, workspace) =>
      agentLock.run(id, () => recorded(`Create ${id}`, id, () => createLocked(id, workspace))),

    async duplicate(id, name) {
      // Don't lock one id twice, because the lock isn't reentrant.
      if (id === name) {
        await requireAgent(root, id);
        throw agentExists(name);
      }
      // A fixed order prevents a deadlock between two opposite duplications.
      const [first, second] = id < name ? [id, name] : [name, id];
      return agentLock.run(first, () =>
        agentLock.run(second, () =>
          recorded(`Duplicate ${id} as ${name}`, name, () => duplicateLocked(id, name)),
        ),
      );
    },

    async delete(id, confirm) {
      if (confirm !== id) {
        throw new AppError(
          'confirm_mismatch',
          `Nothing was deleted. "confirm" must be the id of the agent, "${id}".`,
        );
      }
      const { path, plan } = deletion(id);
      let entry = '';
      const item: ChangeItem = {
        path,
        plan(before) {
          if (before.is === 'directory') entry = before.trash ?? '';
          return plan(before);
        },
      };
      stateAfter(await changes.apply(`Delete ${id}`, [item]));
      return entry;
    },

    deletion,

    access,
  };
};
