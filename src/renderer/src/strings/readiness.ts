import type { AgentSignIn, SignInUnknownReason } from '../../../shared/api/readiness.ts';
import { PI_NODE } from '../../../shared/run-command.ts';
import { many } from './words.ts';

/** Strings for an agent's readiness to run. */
export const readiness = {
  ready: 'Ready to run',
  noPi: 'pi isn’t installed',
  oldPi: (version: string): string => `pi ${version} is old`,
  noSignIn: (provider: string): string => `Not signed in to ${provider}`,
  invalidSignIn: (provider: string): string => `pi can’t read the sign-in for ${provider}`,
  problems: (count: number): string => many(count, 'problem', 'problems'),
  unchecked: 'Sign-in not checked',

  facts: { pi: 'pi', model: 'Model', signIn: 'Sign-in' },
  unknownVersion: 'Installed',
  noModel: 'pi chooses',
  signedIn: ({ provider, method }: AgentSignIn): string =>
    `${provider}${method === undefined ? '' : method === 'oauth' ? ', account' : ', API key'}`,
  reasons: {
    no_model: 'Choose a model to check its sign-in.',
    no_provider: 'The model’s name has no provider. Choose the model again.',
    pi_missing: 'dot-mi didn’t find pi on its PATH.',
    pi_unsafe: 'Other users of this computer can replace pi, so dot-mi doesn’t run it.',
    pi_too_old: `dot-mi needs pi 0.84.1 or later to check the sign-in. With Node before ${PI_NODE}, npm installs pi 0.74. Type node --version to see yours, update Node if it’s older, and install pi again:`,
    root_not_trusted: 'Trust this folder to check the sign-in.',
    not_checked: 'Sign in to check the sign-in.',
    check_failed: 'pi didn’t say whether the agent is signed in.',
  } satisfies Record<SignInUnknownReason, string>,
  guide: {
    login: 'Run the agent, and type this in pi:',
    copyLogin: (provider: string): string => `Copy the command that signs in to ${provider}`,
    variable: 'Or set a key in the terminal, before you run the agent there:',
    copyVariable: (name: string): string => `Copy the command that sets ${name}`,
    key: 'your-key',
    unseen: 'dot-mi can’t see a key that is set only in your terminal.',
    local: 'Use a model on this computer',
  },
  invalidHint: 'Check auth.json and models.json.',
  installHint: `dot-mi didn’t find pi on its PATH. With Node ${PI_NODE} or newer, install it in a terminal. Type node --version to see yours:`,
  copyInstall: 'Copy install command',
  more: (count: number): string => `${count} more`,
  openChecks: 'Open Checks',
} as const;
