import { type Environment, isOwnVariable, isSystemVariable, piEnvironment } from '../../../pi/environment.ts';

/** The environment of an agent for sale. */
interface AgentEnvironment {
  readonly variables: Record<string, string>;
  /** Values that no log may contain. */
  readonly secrets: readonly string[];
}

/** The shortest value that counts as a secret. Shorter ones could occur inside ordinary words. */
const LEAST_SECRET_CHARACTERS = 8;

/**
 * Returns the environment of an agent for sale: what pi needs, the variables that the operator named for it, and those
 * of its run. It has none of dot-mi's variables.
 */
export const agentEnvironment = (
  environment: Environment,
  named: readonly string[],
  run: Readonly<Record<string, string>>,
): AgentEnvironment => {
  const inherited = piEnvironment(environment, named);
  const own = Object.entries(run).filter(([name]) => !isOwnVariable(name));
  return {
    variables: { ...inherited, ...Object.fromEntries(own) },
    secrets: Object.entries(inherited).flatMap(([name, value]) =>
      isSystemVariable(name) || value.length < LEAST_SECRET_CHARACTERS ? [] : [value],
    ),
  };
};
