// The arrows of the layout (docs/architecture.md, "Rules"): renderer -> shared, pi <- server <- main; index -> service -> port.
// Every directory of src/server is a feature, but for these. Its index.ts creates it.
const FEATURE = '(?!root-model/|http/|platform/|workers/)[^/]+';

/** Only one file may import a third party, so that it can be replaced there. */
const behindOneFile = (name, file, module) => ({
  name: `${name}-behind-one-file`,
  severity: 'error',
  from: { path: '^src/', pathNot: file },
  to: { path: module },
});

/** Nothing outside a room of src/server imports anything of it but its index.ts. */
const oneDoor = (room) => ({
  name: `${room}-has-one-door`,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/server/${room}/` },
  to: { path: `^src/server/${room}/`, pathNot: `^src/server/${room}/index\\.ts$` },
});

module.exports = {
  forbidden: [
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'shared-stands-alone',
      severity: 'error',
      from: { path: '^src/(shared|pi)/' },
      to: { path: '^src/', pathNot: '^src/(shared|pi)/' },
    },
    {
      name: 'shared-is-plain',
      comment:
        'no Node, no React, no Electron: both ends import it. zod, ignore, gpt-tokenizer and momoa are plain too',
      severity: 'error',
      from: { path: '^src/(shared|pi)/' },
      to: {
        dependencyTypes: ['core', 'npm', 'npm-dev'],
        pathNot: '(^|/)node_modules/(zod|ignore|gpt-tokenizer|@humanwhocodes/momoa)/',
      },
    },
    {
      name: 'renderer-to-shared-only',
      severity: 'error',
      from: { path: '^src/renderer' },
      to: { path: '^src/', pathNot: '^src/(renderer|shared|pi)/' },
    },
    {
      name: 'renderer-without-node',
      severity: 'error',
      from: { path: '^src/renderer' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'page-without-zod',
      comment:
        'the page trusts the types of responses; scripts/page-contract.ts keeps the schemas of shared out of it',
      severity: 'error',
      from: { path: '^src/renderer' },
      to: { path: '(^|/)node_modules/zod/' },
    },
    {
      name: 'components-do-not-fetch',
      comment: 'hooks own the requests; a type of the client is only a word',
      severity: 'error',
      from: { path: '^src/renderer/src/.*\\.tsx$', pathNot: '^src/renderer/src/api/' },
      to: { path: '^src/renderer/src/api/client\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'ui-knows-no-requests',
      severity: 'error',
      from: { path: '^src/renderer/src/ui/' },
      to: { path: '^src/renderer/src/api/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'page-features-apart',
      comment: 'they meet in app.tsx and app-overlays.tsx',
      severity: 'error',
      from: { path: '^src/renderer/src/features/([^/]+)/' },
      to: { path: '^src/renderer/src/features/', pathNot: '^src/renderer/src/features/$1/' },
    },
    {
      name: 'server-to-shared-only',
      severity: 'error',
      from: { path: '^src/server' },
      to: { path: '^src/', pathNot: '^src/(server|shared|pi)/' },
    },
    {
      name: 'the-program-that-sells-knows-no-server',
      comment: 'a process of its own, which customers reach and the wallet does not',
      severity: 'error',
      from: { path: '^src/server/selling/process/' },
      to: { path: '^src/', pathNot: '^src/(server/selling/process|shared|pi)/' },
    },
    {
      name: 'no-server-knows-the-program-that-sells',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/selling/process/' },
      to: { path: '^src/server/selling/process/' },
    },
    {
      name: 'preload-to-shared-only',
      severity: 'error',
      from: { path: '^src/preload' },
      to: { path: '^src/', pathNot: '^src/(preload|shared|pi)/' },
    },
    {
      name: 'main-not-to-page',
      severity: 'error',
      from: { path: '^src/main' },
      to: { path: '^src/(renderer|preload)' },
    },
    {
      name: 'electron-in-the-shell-only',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(main|preload)' },
      to: { path: '(^|/)(electron|electron-store)(/|$)' },
    },
    {
      name: 'features-apart',
      comment: 'what two features need is platform/, or start.ts hands it in',
      severity: 'error',
      from: { path: `^src/server/(${FEATURE})/`, pathNot: '^src/server/(checks|selling)/' },
      to: { path: `^src/server/${FEATURE}/`, pathNot: '^src/server/$1/' },
    },
    {
      name: 'selling-knows-the-wallet-only',
      comment: 'its words; start.ts hands in the wallet',
      severity: 'error',
      from: { path: '^src/server/selling/' },
      to: { path: `^src/server/${FEATURE}/`, pathNot: '^src/server/(selling|wallet)/' },
    },
    {
      name: 'checks-know-the-catalog-only',
      comment: 'rules about skills use the parser and the sentences of the catalog',
      severity: 'error',
      from: { path: '^src/server/checks/' },
      to: { path: `^src/server/${FEATURE}/`, pathNot: '^src/server/(checks|catalog)/' },
    },
    {
      name: 'features-are-created-in-start',
      comment: 'the shell throws the error of the wallet’s vault',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(server/start|main/seed-vault)\\.ts$' },
      to: { path: `^src/server/${FEATURE}/index\\.ts$`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-index-knows-http',
      severity: 'error',
      from: { path: `^src/server/${FEATURE}/`, pathNot: '^src/server/[^/]+/index\\.ts$' },
      to: { path: '^src/server/http/|/express/' },
    },
    {
      name: 'http-knows-no-feature',
      severity: 'error',
      from: { path: '^src/server/http/' },
      to: { path: `^src/server/${FEATURE}/` },
    },
    {
      name: 'platform-is-the-ground',
      severity: 'error',
      from: { path: '^src/server/platform/' },
      to: { path: '^src/server/', pathNot: '^src/server/platform/' },
    },
    {
      name: 'adapters-are-built-in-start',
      severity: 'error',
      from: { path: '^src/server/', pathNot: '^src/server/(start|host)\\.ts$' },
      to: { path: '^src/server/start\\.ts$' },
    },
    oneDoor('wallet'),
    oneDoor('selling'),
    {
      name: 'wallet-mint-knows-no-wallet',
      comment: 'what mints say and sign; the wallet is built on it',
      severity: 'error',
      from: { path: '^src/server/wallet/mint/' },
      to: { path: '^src/server/wallet/', pathNot: '^src/server/wallet/mint/' },
    },
    {
      name: 'wallet-store-knows-no-operations',
      comment: 'the database, and the records of the mint that it keeps',
      severity: 'error',
      from: { path: '^src/server/wallet/store/' },
      to: { path: '^src/server/wallet/', pathNot: '^src/server/wallet/(store|mint)/' },
    },
    {
      name: 'wallet-seed-knows-the-store-only',
      severity: 'error',
      from: { path: '^src/server/wallet/seed/' },
      to: { path: '^src/server/wallet/', pathNot: '^src/server/wallet/(seed|store)/' },
    },
    {
      name: 'the-wallet-alone-reads-the-seed',
      comment: 'the shell only seals it, as seed-vault.ts says',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/server/wallet/(seed/|operations/|open-wallet|locked-wallet|wallet.service)',
      },
      to: {
        path: '^src/server/wallet/seed/',
        pathNot: 'seed-vault\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'files-of-the-seed-behind-one-file',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/server/wallet/seed/seed\\.ts$' },
      to: { path: '^src/server/wallet/seed/seed-(files|index)\\.ts$' },
    },
    {
      name: 'wallet-operations-know-no-service',
      comment: 'the files at the top of the room put it together',
      severity: 'error',
      from: { path: '^src/server/wallet/operations/' },
      to: { path: '^src/server/wallet/[^/]+$' },
    },
    behindOneFile('gray-matter', '^src/server/catalog/frontmatter\\.ts$', '/gray-matter/'),
    behindOneFile('tiny-secp256k1', '^src/server/wallet/mint/curve\\.ts$', '/tiny-secp256k1/'),
    behindOneFile('cashu-ts', '^src/server/wallet/mint/cashu-[a-z]+\\.ts$', '/@cashu/cashu-ts/'),
    behindOneFile('electron-store', '^src/main/settings\\.ts$', '/electron-store/'),
    // The wallet's one never loses a commit. The index of sessions is faster, and replaced when it is damaged. The
    // journal of changes is flushed by a thread, and put aside when it is damaged. All run
    // their statements with sqlite-statements.ts.
    behindOneFile(
      'sqlite',
      '^src/server/(wallet/store/sqlite|sessions/sessions-store|changes/journal-database|platform/sqlite-statements)\\.ts$',
      '^(node:)?sqlite$',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
