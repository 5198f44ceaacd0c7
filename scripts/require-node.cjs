// Loaded before the scripts of package.json. npm puts the Node of node_modules/.bin first on PATH, but that package has
// no Node for some systems. Every Node can read this file, and older ones can't read TypeScript.
const OLDEST = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST) {
  console.error(
    `dot-mi needs Node ${OLDEST} or newer, but this is Node ${process.versions.node}: run npm install, or if you did, install Node ${OLDEST} from https://nodejs.org.`,
  );
  process.exit(1);
}
