import type { AgentPackage, AgentPackages } from '../../shared/api/packages.ts';

const shapeOfPackage = ({ index, kind, autoload, problem }: AgentPackage): AgentPackage => ({
  index,
  source: null,
  kind,
  requested: null,
  place: null,
  directory: null,
  installed: null,
  ...(autoload === undefined ? {} : { autoload }),
  filters: {},
  adds: null,
  ...(problem === undefined ? {} : { problem: 'pi can’t use this package. The operator can see why.' }),
  install: null,
});

/**
 * Returns how many packages of which kind an agent has, for readers who don't see the values of settings.json.
 *
 * SECURITY: copies only what it names, so a new field stays hidden.
 */
export const shapeOfPackages = ({ exists, problem, packages }: AgentPackages): AgentPackages => ({
  exists,
  etag: null,
  ...(problem === undefined ? {} : { problem: 'dot-mi can’t list all packages. The operator can see why.' }),
  packages: packages.map(shapeOfPackage),
});
