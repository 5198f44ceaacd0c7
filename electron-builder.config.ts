import type { Configuration } from 'electron-builder';

/**
 * What the installers hold, for `npm run package` (docs/adr/0012-pack-only-listed-files.md).
 *
 * Read at build time from the environment:
 * - `UPDATE_FEED_URL`: where installed programs ask for updates, over https. Without it they have no feed and never ask.
 *   Nor does the macOS program have one without a certificate (`CSC_LINK` or `CSC_NAME`).
 * - `PROJECT_URL`: the homepage that deb and rpm name; else the repository that the release workflow runs for.
 *
 * Signing is electron-builder's own (`CSC_LINK`, `CSC_KEY_PASSWORD`, `APPLE_API_KEY` …): unsigned where they are not set.
 */

const { UPDATE_FEED_URL, PROJECT_URL, GITHUB_SERVER_URL, GITHUB_REPOSITORY, CSC_LINK, CSC_NAME } =
  process.env;
const repositoryUrl =
  GITHUB_SERVER_URL && GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : undefined;

// SECURITY: the feed names the hash of what is installed, so whoever can change it on its way replaces the program.
if (UPDATE_FEED_URL && !(URL.canParse(UPDATE_FEED_URL) && new URL(UPDATE_FEED_URL).protocol === 'https:'))
  throw new Error(`UPDATE_FEED_URL must be an https URL; it is "${UPDATE_FEED_URL}".`);

const homepage = PROJECT_URL || repositoryUrl;

/** Each machine packs for its own kind. Linux and macOS name the kind in their feeds or files, but Windows has one feed. */
const feedChannel =
  process.platform === 'win32' && process.arch === 'arm64' ? { channel: 'latest-arm64' } : {};

const config: Configuration = {
  // Never change it: Windows and macOS know the program, its settings and its keychain entries by it.
  appId: 'dot-mi.desktop',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder's own placeholders
  artifactName: 'dot-mi-${version}-${os}-${arch}.${ext}',
  directories: { output: 'dist', buildResources: 'packaging' },
  ...(homepage ? { extraMetadata: { homepage } } : {}),

  // main, preload and page are bundled, so no module is packed beside them. Only what is named here is.
  beforeBuild: async () => false,
  files: [
    'package.json',
    // The program and its threads.
    'out/main/*.cjs',
    // secp256k1 as WebAssembly.
    'out/main/secp256k1.wasm',
    // Its entry is for a machine without a screen; the window's is index.cjs.
    '!out/main/headless.cjs',
    '!out/main/server*.cjs',
    'out/preload/index.cjs',
    'out/renderer/**',
    '!**/*.map',
    // A set of its own: from the project's folder, electron-builder would leave out the starter root's .gitignore.
    {
      from: 'resources',
      to: 'resources',
      filter: ['starter-root/**', 'model_pricing.json', 'tray/**', 'icon.png'],
    },
  ],
  // All of Chromium's languages, so no electronLanguages: without the person's own, navigator.language is en-US, and the
  // page would write dates differently from their system.
  asar: true,
  // Electron's fs.cp does not reach into an asar (electron#49012), and the starter root is copied with it.
  asarUnpack: ['resources/**'],
  extraResources: [
    { from: 'LICENSE', to: 'LICENSE.dot-mi.txt' },
    { from: 'out/THIRD-PARTY-LICENSES.txt', to: 'THIRD-PARTY-LICENSES.txt' },
  ],

  // SECURITY: the signed program must not run as a plain Node, nor take code from variables, switches or a folder
  // next to it: each would lend its rights, and its keychain entries, to another program.
  electronFuses: {
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableCookieEncryption: true,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    // The page comes over http; a file: page would only be a way in.
    grantFileProtocolExtraPrivileges: false,
    // Flipping breaks the signature that Apple silicon asks for; only codesign can make it anew.
    resetAdHocDarwinSignature: process.platform === 'darwin',
  },

  // macOS: CFBundleURLTypes; Linux: MimeType of the desktop entry; Windows: packaging/installer.nsh.
  protocols: [{ name: 'Cashu token', schemes: ['cashu'], role: 'Viewer' }],

  publish: UPDATE_FEED_URL ? [{ provider: 'generic', url: UPDATE_FEED_URL, ...feedChannel }] : null,

  // SECURITY: without it the desktop entry of an AppImage says --no-sandbox. Nor does it need the machine's libfuse2.
  toolsets: { appimage: '1.0.3' },
  linux: {
    target: ['AppImage', 'deb', 'rpm'],
    icon: 'packaging/icons/linux',
    executableName: 'dot-mi',
    category: 'Utility',
    synopsis: 'Manage local pi agents and the ecash they earn',
    maintainer: 'the dot-mi Desktop authors',
    // SECURITY: what follows it is not a switch, whatever a link has in it; src/main/deep-link.ts takes links only there.
    executableArgs: ['--'],
    // Window and desktop entry find each other by `desktopName` in package.json.
    syncDesktopName: true,
  },
  mac: {
    target: [
      { target: 'dmg', arch: ['arm64', 'x64'] },
      { target: 'zip', arch: ['arm64', 'x64'] },
    ],
    icon: 'packaging/icons/icon.icns',
    category: 'public.app-category.developer-tools',
    hardenedRuntime: true,
    entitlements: 'packaging/entitlements.mac.plist',
    entitlementsInherit: 'packaging/entitlements.mac.plist',
    // Squirrel.Mac refuses to update an unsigned program, so don't let it offer updates.
    ...(CSC_LINK || CSC_NAME ? {} : { publish: null }),
  },
  win: {
    target: ['nsis', 'portable'],
    icon: 'packaging/icons/icon.ico',
  },
  nsis: {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder's own placeholders
    artifactName: 'dot-mi-${version}-${os}-${arch}-setup.${ext}',
    oneClick: false,
    perMachine: false,
    allowToChangeInstallationDirectory: true,
    include: 'packaging/installer.nsh',
  },
  portable: {
    // True is a new folder for each launch. With one folder for each build, a second launch, and so each link, would
    // delete files of the running program.
    unpackDirName: true,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder's own placeholders
    artifactName: 'dot-mi-${version}-${os}-${arch}-portable.${ext}',
  },
};

export default config;
