import { basename, dirname, join } from 'node:path';
import { isSince, type PiVersion } from '../../pi/flags.ts';
import type { AgentFacts } from '../../pi/interpret.ts';
import type { McpConfig, McpServer } from '../../pi/mcp.ts';
import { listedServers } from '../../pi/mcp.ts';
import type { PromptNote } from '../../shared/api/prompt.ts';
import type { ReportingDisk } from '../platform/pi-disk.ts';
import { quoted } from '../platform/words.ts';
import { directoriesUp, type OfPackages, type RunPlaces } from './collect-parts.ts';

/** The facts that a prompt's notes depend on. */
interface NoteFacts {
  readonly facts: AgentFacts;
  readonly ofPackages: OfPackages;
  readonly mcp: McpConfig;
  readonly version: PiVersion;
  readonly trusted: boolean;
  readonly hasCustomPrompt: boolean;
  readonly isPiKnown: boolean;
  readonly unknownTools: readonly string[];
  readonly disk: ReportingDisk;
  readonly places: RunPlaces;
}

const MAX_NAMES = 3;

const listed = (names: readonly string[]): string =>
  names.length > MAX_NAMES
    ? `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`
    : names.join(', ');

const namesOf = (servers: readonly McpServer[]): string => listed(servers.map(({ name }) => quoted(name)));

/** Returns a file's name. All skills have files with the same name, so theirs includes the directory. */
const nameOf = (path: string): string =>
  basename(path) === 'SKILL.md' ? `${basename(dirname(path))}/SKILL.md` : basename(path);

/** Lists the files missing from a prompt, each with the reason, such as "SYSTEM.md is not a regular file". */
export const listUnreadable = ({ unreadable }: ReportingDisk): string[] => [
  ...new Set(unreadable.map(({ path, reason }) => `${nameOf(path)} ${reason}`)),
];

/** Returns whether pi asks before it uses files in the working directory. */
const hasProjectFiles = (disk: ReportingDisk, { cwd, home }: RunPlaces, version: PiVersion): boolean =>
  [
    'SYSTEM.md',
    'APPEND_SYSTEM.md',
    'skills',
    'settings.json',
    ...(isSince(version, '1.5') ? ['mcp.json'] : []),
  ].some((name) => disk.isThere(join(cwd, '.pi', name))) ||
  directoriesUp(cwd).some(
    (directory) => directory !== home && disk.isThere(join(directory, '.agents', 'skills')),
  );

/** Returns the notes about a prompt, most important first. */
export const promptNotes = ({
  facts,
  ofPackages,
  mcp,
  version,
  trusted,
  hasCustomPrompt,
  isPiKnown,
  unknownTools,
  disk,
  places,
}: NoteFacts): PromptNote[] => {
  const { args, agentFile, appliesAgentFile, readerSetsSection, settings } = facts;
  const extensions = [...facts.extensions, ...ofPackages.extensions];
  const undescribed = listedServers(mcp).filter(({ summary }) => summary === '');
  const declared = mcp.servers.filter(({ exposures }) => exposures.has('direct'));
  const notes: (PromptNote | false)[] = [
    disk.hasRefused() && {
      code: 'outside_left_out',
      message:
        'pi also reads files outside the root. They are left out here. Send the operator token to include them.',
    },
    disk.hasHidden() && {
      code: 'hidden',
      message:
        'pi also uses files that dot-mi shows only to the operator. What depends on them is left out here.',
    },
    disk.unreadable.length > 0 && {
      code: 'unreadable',
      message: `${listed(listUnreadable(disk))}, so dot-mi leaves out ${
        disk.unreadable.length === 1
          ? 'its text. pi may still send it.'
          : 'their text. pi may still send them.'
      }`,
    },
    settings.hasMoreSkills && {
      code: 'settings_unread',
      message: 'settings.json also lists skills. pi loads them too, but they are not in this prompt.',
    },
    ofPackages.unread.length > 0 && {
      code: 'packages_unread',
      message: `This prompt may be missing parts of these packages: ${listed(ofPackages.unread)}. Either they are not installed in the root, or dot-mi can’t read all their files.`,
    },
    undescribed.length > 0 && {
      code: 'mcp_unknown',
      message: `These MCP servers have no description in mcp.json: ${namesOf(undescribed)}. pi adds each server’s own description once it connects, so this prompt doesn’t include it.`,
    },
    !hasCustomPrompt && {
      code: 'default_prompt',
      message: 'SYSTEM.md is missing or empty, so pi uses its own prompt for coding agents.',
    },
    !hasCustomPrompt &&
      !isPiKnown && {
        code: 'pi_directory_unknown',
        message: 'pi was not found on this computer, so the paths to its documentation are placeholders.',
      },
    agentFile !== undefined &&
      !appliesAgentFile && {
        code: 'agent_md_unused',
        message: 'AGENT.md has no effect, because the extension agent-prompt.ts is not linked.',
      },
    agentFile !== undefined &&
      appliesAgentFile &&
      !readerSetsSection && {
        code: 'agent_md_differs',
        message:
          'This agent’s agent-prompt extension is not the one that comes with dot-mi. It may add the text of AGENT.md elsewhere, or without the tag that is shown here.',
      },
    args.appendSystemPrompts.length > 0 &&
      disk.isThere(join(places.agent, 'APPEND_SYSTEM.md')) && {
        code: 'append_unused',
        message: 'APPEND_SYSTEM.md is not sent, because pi-args has --append-system-prompt.',
      },
    declared.length > 0 && {
      code: 'mcp_tools',
      message: `pi also gives the model the tools of these MCP servers: ${namesOf(declared)}. Only a running server reports its tools, so they are not listed here.`,
    },
    mcp.hasBrokenFile && {
      code: 'mcp_broken',
      message: 'pi ignores an mcp.json file that is not JSON or doesn’t contain an object of servers.',
    },
    mcp.refused.size > 0 && {
      code: 'mcp_refused',
      message: `pi ignores invalid entries in mcp.json: ${listed(Array.from(mcp.refused.keys(), quoted))}.`,
    },
    unknownTools.length > 0 && {
      code: 'unknown_tools',
      message: `pi has no built-in tool named ${listed(unknownTools)}. An extension may add it.`,
    },
    !trusted &&
      hasProjectFiles(disk, places, version) && {
        code: 'project_not_trusted',
        message:
          'The working directory has its own pi files. pi asks before it uses them, and they are not in this prompt.',
      },
    extensions.length > 0 && {
      code: 'extensions',
      message: `Extensions can change the prompt and add tools. This agent has ${listed(extensions)}.`,
    },
  ];
  return notes.filter((note) => note !== false);
};
